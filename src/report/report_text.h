// Numbers and texts for people: short, with three digits that count, and safe to put into a page.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vyre/tune/evidence/tuning_key.h"

namespace vyre {

// Whether a time, a ratio or a size is there: finite and above 0.
bool is_known(double value);

// The same text as UTF-8: bytes that are none become the replacement character, and control
// characters but line ends and tabs are left out.
std::string clean_utf8(std::string_view text);
// Clean, and with the characters that mean something in HTML and SVG written as entities: for
// content and for attributes within double quotes.
std::string html_escaped(std::string_view text);
// Clean, on one line, and at most `characters` long: a longer one ends in an ellipsis.
std::string shortened(std::string_view text, std::size_t characters);
// Code points of clean UTF-8.
std::size_t character_count(std::string_view text);

std::string count_text(double count);            // "1,000,000"
std::string time_text(double ns);                // "188 µs", with a space that does not break
std::string seconds_text(double seconds);        // "30 s", "2 min 5 s"
std::string ratio_text(double ratio);            // "1.43×"
std::string ratio_number(double ratio);          // "1.43"
std::string percent_text(double share);          // "1.2%"
std::string rate_text(double bytes_per_second);  // "4.05 TB/s"
std::string date_text(std::int64_t unix_ms);     // "2026-11-15 15:04 UTC"
// Three digits that count, and no exponent for what people measure: "188", "1.43", "0.031".
std::string number_text(double value);

// "256x1x1" as "256", "16x16x1" as "16x16"; anything else as it is.
std::string short_extent(std::string_view text);
// "workgroup 256, items 4"; the text itself where there are no parameters.
std::string spelled_out(const Configuration& parameters, std::string_view text);

}  // namespace vyre
