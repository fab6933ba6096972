// WGSL text to tokens.
#pragma once

#include <string_view>
#include <vector>

#include "vyre/wgsl/parser/token.h"

namespace vyre {

// The tokens of a text of at most Source::kMaxBytes, with an end_of_text token last. Never fails:
// text that is no token becomes a token of one of the invalid kinds. Blankspace
// and comments leave no token, except for invalid text inside comments.
//
// Template lists are told from comparisons as WGSL's "template list discovery" prescribes: their
// delimiters are template_begin and template_end, whatever stands around them (`>>`, `>=`).
std::vector<Token> tokenize(std::string_view text);

}  // namespace vyre
