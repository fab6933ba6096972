// Keywords and reserved words.
#pragma once

#include <string_view>

#include "vyre/wgsl/parser/token.h"

namespace vyre {

// A keyword's kind, reserved_word, reserved_name, underscore or identifier.
TokenKind classify_word(std::string_view word);

}  // namespace vyre
