// The values of TOML that are one word: numbers, truth values, dates and times. For toml.cc.
#pragma once

#include <string_view>

#include "vyre/base/text/toml.h"

namespace vyre::toml_detail {

// Sets the kind and value of `node` from a word, which has no blanks except between a date and a
// time. Returns the error, or an empty text.
std::string_view read_word(std::string_view word, TomlNode& node);

}  // namespace vyre::toml_detail
