#include "vyre/report/report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cmath>
#include <span>

#include "vyre/tune/time_words.h"

namespace vyre {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kSpace = "\xC2\xA0";  // non-breaking

// The number of bytes of the first code point; 0: it is not UTF-8.
std::size_t code_point_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  // An overlong form, a surrogate, or beyond the last code point.
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) > 0x9F) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) > 0x8F) return 0;
  return size;
}

struct Unit {
  double size;
  std::string_view name;
};

// In the largest unit in which it is at least 1, after rounding.
std::string with_unit(double value, std::span<const Unit> units) {
  std::size_t chosen = 0;
  while (chosen + 1 < units.size() && value >= 0.9995 * units[chosen + 1].size) ++chosen;
  return fmt::format("{}{}{}", number_text(value / units[chosen].size), kSpace, units[chosen].name);
}

}  // namespace

bool is_known(double value) { return std::isfinite(value) && value > 0; }

std::string clean_utf8(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = code_point_bytes(text);
    if (size == 0) {
      clean += kReplacement;
    } else {
      const unsigned char first = static_cast<unsigned char>(text[0]);
      const bool is_c1 = size == 2 && first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
      const bool is_control =
          size == 1 && (first == 0x7F || (first < 0x20 && first != '\n' && first != '\t'));
      if (!is_c1 && !is_control) clean += text.substr(0, size);
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return clean;
}

std::string html_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : clean_utf8(text)) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&#39;"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string shortened(std::string_view text, std::size_t characters) {
  std::string line = clean_utf8(text);
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  if (character_count(line) <= characters) return line;
  std::size_t end = 0;
  for (std::size_t kept = 0; kept + 1 < characters; ++kept)
    end += code_point_bytes(std::string_view(line).substr(end));
  line.resize(end);
  return line + "\xE2\x80\xA6";
}

std::string number_text(double value) {
  if (!std::isfinite(value)) return "\xE2\x80\x93";
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size >= 1e15 || size < 1e-4) return fmt::format("{:.2e}", value);
  if (size >= 99.95) return fmt::format("{:.0f}", value);
  if (size >= 9.995) return fmt::format("{:.1f}", value);
  if (size >= 0.995) return fmt::format("{:.2f}", value);
  return fmt::format("{:.2g}", value);
}

std::string count_text(double count) {
  if (!std::isfinite(count)) return "\xE2\x80\x93";
  if (std::abs(count) >= 1e15) return fmt::format("{:.3g}", count);
  std::string digits = fmt::format("{:.0f}", std::abs(count));
  for (std::size_t i = digits.size(); i > 3;) digits.insert(i -= 3, 1, ',');
  return (count < 0 && digits != "0" ? "-" : "") + digits;
}

std::string time_text(double ns) {
  if (!std::isfinite(ns)) return "\xE2\x80\x93";
  std::string text = time_words(ns);
  const std::size_t space = text.find(' ');
  const std::string unit = text.substr(space + 1);
  text.resize(space);
  return fmt::format("{}{}{}", text, kSpace, unit == "us" ? "\xC2\xB5s" : unit);
}

std::string interval_text(const CandidateTime& time) {
  if (!is_known(time.ns) || !(time.high_ns > 0)) return {};
  return fmt::format("{} to {}", time_text(time.low_ns), time_text(time.high_ns));
}

std::string seconds_text(double seconds) {
  if (!std::isfinite(seconds) || seconds < 99.5 || seconds > 1e9) return time_text(seconds * 1e9);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  return fmt::format("{}{}min {}{}s", whole / 60, kSpace, whole % 60, kSpace);
}

std::string ratio_number(double ratio) {
  return ratio >= 0.01 && ratio < 9.995 ? fmt::format("{:.2f}", ratio) : number_text(ratio);
}

std::string ratio_text(double ratio) { return ratio_number(ratio) + "\xC3\x97"; }

std::string percent_text(double share) {
  const double percent = 100 * share;
  if (!std::isfinite(percent)) return "\xE2\x80\x93";
  const double size = std::abs(percent);
  if (size != 0 && size < 0.005) return "<0.01%";
  if (size < 0.095 && size != 0) return fmt::format("{:.2f}%", percent);
  if (size >= 99.95) return fmt::format("{:.0f}%", percent);
  return fmt::format("{:.1f}%", percent);
}

std::string rate_text(double bytes_per_second) {
  static constexpr std::array<Unit, 5> kUnits{
      {{1, "B/s"}, {1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}, {1e12, "TB/s"}}};
  if (!is_known(bytes_per_second)) return "\xE2\x80\x93";
  return with_unit(bytes_per_second, kUnits);
}

std::string date_text(std::int64_t unix_ms) {
  using namespace std::chrono;
  // Years need at most four digits.
  if (unix_ms <= 0 || unix_ms > 253'402'300'799'000) return "\xE2\x80\x93";
  const sys_time<milliseconds> at{milliseconds(unix_ms)};
  const auto day = floor<days>(at);
  const year_month_day date(day);
  const hh_mm_ss time(floor<minutes>(at - day));
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count());
}

std::string short_extent(std::string_view text) {
  const auto is_extent = [&] {
    if (text.empty() || !std::isdigit(static_cast<unsigned char>(text[0]))) return false;
    return std::ranges::all_of(text, [](char c) { return c == 'x' || (c >= '0' && c <= '9'); }) &&
           std::ranges::count(text, 'x') == 2;
  };
  if (!is_extent()) return std::string(text);
  while (text.ends_with("x1")) text.remove_suffix(2);
  return std::string(text);
}

std::string spelled_out(const Configuration& parameters, std::string_view text) {
  if (parameters.empty()) return std::string(text);
  std::string all;
  for (const auto& [name, value] : parameters)
    all += fmt::format("{}{}{}{}", all.empty() ? "" : ", ", name, kSpace, short_extent(value));
  return all;
}

}  // namespace vyre
