// Numbers and texts for people: short, with three significant digits, and safe to put into a page.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vyre/tune/evidence/tuning_key.h"
#include "vyre/tune/online/candidate_time.h"

namespace vyre {

// Whether a time, a ratio or a size is known: finite and above 0.
bool is_known(double value);

// The same text as UTF-8: invalid bytes become the replacement character, and control characters
// other than line feeds and tabs are left out.
std::string clean_utf8(std::string_view text);
// Cleaned, and with the special characters of HTML and SVG escaped, for content and for attributes
// in double quotes.
std::string html_escaped(std::string_view text);
// Cleaned, on one line, and at most `characters` long; a longer text ends in an ellipsis.
std::string shortened(std::string_view text, std::size_t characters);
// The number of code points of cleaned text.
std::size_t character_count(std::string_view text);

std::string count_text(double count);                  // "1,000,000"
std::string interval_text(const CandidateTime& time);  // "186.1 µs to 189.0 µs"; empty: not known
std::string time_text(double ns);                // "187.7 µs": time_words with a non-breaking space
std::string seconds_text(double seconds);        // "30 s", "2 min 5 s"
std::string ratio_text(double ratio);            // "1.43×"
std::string ratio_number(double ratio);          // "1.43"
std::string percent_text(double share);          // "1.2%"
std::string rate_text(double bytes_per_second);  // "4.05 TB/s"
std::string date_text(std::int64_t unix_ms);     // "2026-11-15 15:04 UTC"
// Three significant digits, without an exponent for usual values: "188", "1.43", "0.031".
std::string number_text(double value);

// "256x1x1" as "256", "16x16x1" as "16x16"; anything else is unchanged.
std::string short_extent(std::string_view text);
// "workgroup 256, items 4"; the text itself if there are no parameters.
std::string spelled_out(const Configuration& parameters, std::string_view text);

}  // namespace vyre
