// WGSL text to tokens.
#pragma once

#include <string_view>
#include <vector>

#include "vyre/wgsl/parser/token.h"

namespace vyre {

// The tokens of a text of at most Source::kMaxBytes, with an end_of_text token last. Never fails:
// text that is not a token becomes a token of one of the invalid kinds. Blankspace and comments
// give no tokens, except for invalid text inside comments.
//
// WGSL's "template list discovery" distinguishes template lists from comparisons: their delimiters
// are template_begin and template_end, even as a part of `>>` or `>=`.
std::vector<Token> tokenize(std::string_view text);

}  // namespace vyre
