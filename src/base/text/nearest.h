// Names that were misspelled.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace vyre {

// The word nearest to `word`, if one is near enough to be what was meant; otherwise empty.
std::string nearest(std::string_view word, std::span<const std::string> known);

}  // namespace vyre
