#include "vyre/base/text/toml_scalar.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

namespace vyre::toml_detail {
namespace {

constexpr std::string_view kNoNumber = "this is neither a number nor another value";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes from the front of `word`.
bool take(std::string_view& word, char wanted) {
  if (!word.starts_with(wanted)) return false;
  word.remove_prefix(1);
  return true;
}

bool take_sign(std::string_view& word) {
  return word.starts_with('+') || word.starts_with('-') ? (word.remove_prefix(1), true) : false;
}

// Exactly `count` decimal digits.
std::optional<unsigned> take_digits(std::string_view& word, std::size_t count) {
  if (word.size() < count) return std::nullopt;
  unsigned value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_digit(word[i])) return std::nullopt;
    value = value * 10 + static_cast<unsigned>(word[i] - '0');
  }
  word.remove_prefix(count);
  return value;
}

// Digits with single underscores between them, as many as there are; appended to `digits` without
// the underscores. False when there is none, or an underscore stands elsewhere.
template <class IsDigit>
bool take_number(std::string_view& word, IsDigit is_allowed, std::string& digits) {
  bool wants_digit = true;
  while (!word.empty()) {
    const char c = word.front();
    if (is_allowed(c)) {
      digits.push_back(c);
      wants_digit = false;
    } else if (c == '_' && !wants_digit) {
      wants_digit = true;
    } else {
      break;
    }
    word.remove_prefix(1);
  }
  return !wants_digit;
}

std::string_view read_based(std::string_view word, int base, TomlNode& node) {
  const auto is_allowed = [base](char c) {
    if (base <= 10) return c >= '0' && c < '0' + base;
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  };
  std::string digits;
  if (!take_number(word, is_allowed, digits) || !word.empty()) return kNoNumber;
  const char* end = digits.data() + digits.size();
  const auto [stop, fault] = std::from_chars(digits.data(), end, node.integer, base);
  if (fault != std::errc{} || stop != end) return "this integer does not fit 64 bits";
  node.kind = TomlKind::integer;
  return {};
}

std::string_view read_decimal(std::string_view word, TomlNode& node) {
  std::string digits;
  if (word.starts_with('-')) digits.push_back('-');
  take_sign(word);
  const std::size_t begin = digits.size();
  if (!take_number(word, is_digit, digits)) return kNoNumber;
  if (digits.size() - begin > 1 && digits[begin] == '0') return "a number does not begin with 0";
  const bool is_integer = word.empty();
  if (take(word, '.')) {
    digits.push_back('.');
    if (!take_number(word, is_digit, digits)) return kNoNumber;
  }
  if (take(word, 'e') || take(word, 'E')) {
    digits.push_back('e');
    if (word.starts_with('-')) digits.push_back('-');
    take_sign(word);
    if (!take_number(word, is_digit, digits)) return kNoNumber;
  }
  if (!word.empty()) return kNoNumber;

  const char* end = digits.data() + digits.size();
  if (is_integer) {
    const auto [stop, fault] = std::from_chars(digits.data(), end, node.integer);
    if (fault != std::errc{} || stop != end) return "this integer does not fit 64 bits";
    node.kind = TomlKind::integer;
    return {};
  }
  node.kind = TomlKind::real;
  if (std::from_chars(digits.data(), end, node.real).ec == std::errc::result_out_of_range) {
    // Too large or too small: the nearest that strtod knows, infinity or zero.
    node.real = std::strtod(digits.c_str(), nullptr);
  }
  return {};
}

unsigned days_in(unsigned year, unsigned month) {
  static constexpr std::array<unsigned, 12> kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[month - 1];
}

bool take_date(std::string_view& word) {
  const auto year = take_digits(word, 4);
  if (!year || !take(word, '-')) return false;
  const auto month = take_digits(word, 2);
  if (!month || *month < 1 || *month > 12 || !take(word, '-')) return false;
  const auto day = take_digits(word, 2);
  return day && *day >= 1 && *day <= days_in(*year, *month);
}

bool take_hours_and_minutes(std::string_view& word) {
  const auto hours = take_digits(word, 2);
  if (!hours || *hours > 23 || !take(word, ':')) return false;
  const auto minutes = take_digits(word, 2);
  return minutes && *minutes <= 59;
}

bool take_time(std::string_view& word) {
  if (!take_hours_and_minutes(word)) return false;
  if (!take(word, ':')) return true;
  const auto seconds = take_digits(word, 2);
  if (!seconds || *seconds > 60) return false;  // 60 in a leap second
  if (!take(word, '.')) return true;
  if (!take_digits(word, 1)) return false;
  while (take_digits(word, 1)) {
  }
  return true;
}

bool take_offset(std::string_view& word) {
  if (take(word, 'Z') || take(word, 'z')) return true;
  return take_sign(word) && take_hours_and_minutes(word);
}

std::string_view read_date_time(std::string_view word, TomlNode& node) {
  static constexpr std::string_view kNoDate = "there is no such date or time";
  node.kind = TomlKind::date_time;
  node.text = word;
  if (word[2] == ':') return take_time(word) && word.empty() ? std::string_view{} : kNoDate;
  if (!take_date(word)) return kNoDate;
  if (word.empty()) return {};
  if (!take(word, 'T') && !take(word, 't') && !take(word, ' ')) return kNoDate;
  if (!take_time(word)) return kNoDate;
  return word.empty() || (take_offset(word) && word.empty()) ? std::string_view{} : kNoDate;
}

bool is_date_or_time(std::string_view word) {
  const auto digits_then = [&word](std::size_t count, char then) {
    if (word.size() <= count || word[count] != then) return false;
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_digit(word[i])) return false;
    }
    return true;
  };
  return digits_then(4, '-') || digits_then(2, ':');
}

bool read_named(std::string_view word, TomlNode& node) {
  if (word == "true" || word == "false") {
    node.kind = TomlKind::boolean;
    node.boolean = word == "true";
    return true;
  }
  const double sign = word.starts_with('-') ? -1.0 : 1.0;
  take_sign(word);
  if (word != "inf" && word != "nan") return false;
  using Real = std::numeric_limits<double>;
  node.kind = TomlKind::real;
  node.real = sign * (word == "inf" ? Real::infinity() : Real::quiet_NaN());
  return true;
}

}  // namespace

std::string_view read_word(std::string_view word, TomlNode& node) {
  if (read_named(word, node)) return {};
  if (is_date_or_time(word)) return read_date_time(word, node);
  if (word.starts_with("0x")) return read_based(word.substr(2), 16, node);
  if (word.starts_with("0o")) return read_based(word.substr(2), 8, node);
  if (word.starts_with("0b")) return read_based(word.substr(2), 2, node);
  return read_decimal(word, node);
}

}  // namespace vyre::toml_detail
