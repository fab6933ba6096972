// The text of a decision cache: TOML in UTF-8, one line per entry in ascending byte order of the
// key, each exactly
//
//   "<key>" = [<x>, <y>, <z>]
//
// and a line feed. No header, no comments, no blank lines; an empty cache is an empty text. Keys
// that vyre makes are letters, digits and hyphens; in any other key, quotes, backslashes and
// control characters are escaped as in TOML's basic strings.
#pragma once

#include <cstddef>
#include <expected>
#include <map>
#include <string>
#include <string_view>

#include "vyre/base/extent.h"
#include "vyre/base/text/toml.h"

namespace vyre {

// The chosen workgroup for each key, in the order of the text.
using Decisions = std::map<std::string, Extent, std::less<>>;

// Whether a file can hold it: no axis is 0, and the key is UTF-8.
bool is_decision(std::string_view key, const Extent& workgroup);

struct ParsedDecisions {
  Decisions entries;
  // The number of top-level values that are not arrays of exactly three integers in 1..2^32-1. A
  // table counts as one.
  std::size_t skipped = 0;

  bool operator==(const ParsedDecisions&) const = default;
};

std::expected<ParsedDecisions, TomlFault> parse_decisions(std::string_view text);

std::string decision_text(const Decisions& decisions);

// The length of one entry's line, its line feed included.
std::size_t decision_line_bytes(std::string_view key, const Extent& workgroup);

}  // namespace vyre
