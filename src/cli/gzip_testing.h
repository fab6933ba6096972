// Packs what gzip_file.h unpacks, for tests.
#pragma once

#include <string>
#include <string_view>

namespace vyre {

std::string gzip(std::string_view text);

}  // namespace vyre
