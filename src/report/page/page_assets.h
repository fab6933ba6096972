// The style of every page, and a script that shows hints and sorts tables. The page can be read
// without the script.
#pragma once

#include <string_view>

namespace vyre {

std::string_view page_style();
std::string_view page_script();

}  // namespace vyre
