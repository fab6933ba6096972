#include "vyre/data/number_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace vyre {
namespace {

std::unexpected<Error> not_a(std::string_view what, std::string_view text) {
  return fail(Code::invalid_input, fmt::format("{} is not {}", quote(text), what));
}

bool spells_infinity(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && (text.front() == 'i' || text.front() == 'I');
}

Result<Scalar> parse_float(std::string_view text, ScalarKind kind) {
  const auto value = parse_decimal(text);
  if (!value) return not_a("a number", text);
  const Scalar out = kind == ScalarKind::f16 ? Scalar{ScalarKind::f16, double_to_f16(*value)}
                                             : Scalar::of(static_cast<float>(*value));
  if (std::isinf(out.as_double()) && !spells_infinity(text)) {
    return fail(Code::invalid_input, fmt::format("{} is too large for {}", text, to_string(kind)));
  }
  return out;
}

Result<Scalar> parse_i32(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::uint64_t most = negative ? 0x80000000U : 0x7fffffffU;
  const auto magnitude = parse_whole(text.substr(negative ? 1 : 0), most);
  if (!magnitude) {
    return not_a(fmt::format("an i32 (a whole number from {} to {})",
                             std::numeric_limits<std::int32_t>::min(),
                             std::numeric_limits<std::int32_t>::max()),
                 text);
  }
  const auto bits = static_cast<std::uint32_t>(*magnitude);
  return Scalar{ScalarKind::i32, negative ? 0U - bits : bits};
}

}  // namespace

std::string quote(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string out = "'";
  for (const char c : text.substr(0, kMost)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7f ? '?' : c;
  }
  return out + (text.size() > kMost ? "...'" : "'");
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t at = text.find(separator);
    pieces.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return pieces;
    text.remove_prefix(at + 1);
  }
}

Result<std::uint64_t> parse_whole(std::string_view text, std::uint64_t most) {
  std::uint64_t value = 0;
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = text.substr(hexadecimal ? 2 : 0);
  const char* end = digits.data() + digits.size();
  const auto [stop, status] = std::from_chars(digits.data(), end, value, hexadecimal ? 16 : 10);
  if (digits.empty() || stop != end || status == std::errc::invalid_argument) {
    return not_a("a whole number", text);
  }
  if (status == std::errc::result_out_of_range || value > most) {
    return fail(Code::invalid_input, fmt::format("{} is too large: at most {}", quote(text), most));
  }
  return value;
}

std::optional<double> parse_decimal(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (stop != end || status == std::errc::invalid_argument) return std::nullopt;
  if (status == std::errc::result_out_of_range) {
    // Too large or too small for a double: from_chars does not say which.
    const std::string copy(text);
    value = std::strtod(copy.c_str(), nullptr);
  }
  return value;
}

Result<Scalar> parse_scalar(std::string_view text, ScalarKind kind) {
  switch (kind) {
    case ScalarKind::boolean:
      if (text == "true" || text == "1") return Scalar::of(true);
      if (text == "false" || text == "0") return Scalar::of(false);
      return not_a("true or false", text);
    case ScalarKind::i32: return parse_i32(text);
    case ScalarKind::u32: {
      const auto value = parse_whole(text, UINT32_MAX);
      if (!value) return not_a("a u32 (a whole number from 0 to 4294967295)", text);
      return Scalar::of(static_cast<std::uint32_t>(*value));
    }
    default: return parse_float(text, kind);
  }
}

std::string with_commas(std::uint64_t value) {
  std::string text = fmt::format("{}", value);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  const std::string_view ending = count == 1 ? "" : noun.ends_with("ch") ? "es" : "s";
  return fmt::format("{} {}{}", with_commas(count), noun, ending);
}

}  // namespace vyre
