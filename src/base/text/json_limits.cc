#include "vyre/base/text/json_limits.h"

#include <fmt/format.h>

namespace vyre {
namespace {

// Where the string ends whose opening quote is at `begin`: at its closing quote, or with the text.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  std::size_t at = begin + 1;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return at;
}

}  // namespace

Result<void> check_json_limits(std::string_view text, std::uint64_t max_values) {
  std::uint64_t nesting = 0;
  std::uint64_t values = 1;  // at most: brackets, and what stands behind a comma
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') at = end_of_string(text, at);
    if (c == '[' || c == '{') ++nesting;
    if ((c == ']' || c == '}') && nesting > 0) --nesting;
    if (c == '[' || c == '{' || c == ',') ++values;
    if (nesting > kMaxJsonNesting) {
      return fail(Code::limit, fmt::format("it is nested more than {} levels deep at byte {}",
                                           kMaxJsonNesting, at));
    }
    if (values > max_values) {
      return fail(Code::limit, fmt::format("it has more than {} values", max_values));
    }
  }
  return {};
}

}  // namespace vyre
