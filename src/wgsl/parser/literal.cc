#include "vyre/wgsl/parser/literal.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <system_error>

namespace vyre {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
constexpr std::uint32_t hex_value(char c) {
  if (is_digit(c)) return static_cast<std::uint32_t>(c - '0');
  return static_cast<std::uint32_t>((c | 0x20) - 'a' + 10);
}

// A literal taken apart. Views into it; `fraction` and `exponent` are empty when not written.
struct Parts {
  bool hexadecimal = false;
  bool has_point = false;
  std::string_view whole;
  std::string_view fraction;
  std::string_view exponent;  // with its sign
  char suffix = 0;            // i, u, f, h or none
  std::size_t size = 0;

  bool is_float() const { return has_point || !exponent.empty() || suffix == 'f' || suffix == 'h'; }
};

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Parts run() {
    const bool prefix = peek(0) == '0' && (peek(1) == 'x' || peek(1) == 'X');
    if (prefix && (is_hex_digit(peek(2)) || (peek(2) == '.' && is_hex_digit(peek(3))))) {
      hexadecimal();
    } else {
      decimal();
    }
    parts_.size = at_;
    return parts_;
  }

 private:
  char peek(std::size_t ahead) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  template <class Test>
  std::string_view take_while(Test test) {
    const std::size_t begin = at_;
    while (test(peek(0))) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void exponent(char lower, char upper) {
    if (peek(0) != lower && peek(0) != upper) return;
    const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if (!is_digit(peek(1 + sign))) return;
    const std::size_t begin = at_ + 1;
    at_ = begin + sign;
    take_while(is_digit);
    parts_.exponent = text_.substr(begin, at_ - begin);
  }

  void suffix(std::string_view allowed) {
    if (peek(0) == '\0' || allowed.find(peek(0)) == std::string_view::npos) return;
    parts_.suffix = text_[at_++];
  }

  void hexadecimal() {
    parts_.hexadecimal = true;
    at_ += 2;
    parts_.whole = take_while(is_hex_digit);
    if (peek(0) == '.') {
      parts_.has_point = true;
      ++at_;
      parts_.fraction = take_while(is_hex_digit);
    }
    exponent('p', 'P');
    if (!parts_.exponent.empty()) {
      suffix("fh");
    } else if (!parts_.has_point) {
      suffix("iu");
    }
  }

  void decimal() {
    parts_.whole = take_while(is_digit);
    if (peek(0) == '.') {
      parts_.has_point = true;
      ++at_;
      parts_.fraction = take_while(is_digit);
    }
    exponent('e', 'E');
    if (parts_.is_float()) {
      suffix("fh");
    } else if (parts_.whole.size() > 1 && parts_.whole[0] == '0') {
      at_ = 1;  // a leading zero: the literal is the zero alone
      parts_.whole = text_.substr(0, 1);
    } else {
      suffix("iufh");
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Parts parts_;
};

// ---- Integers

std::expected<Scalar, std::string> integer_value(const Parts& parts) {
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(parts.whole.data(), parts.whole.data() + parts.whole.size(), value,
                      parts.hexadecimal ? 16 : 10);
  const auto check = [&, overflow = error != std::errc{}](
                         std::uint64_t largest,
                         std::string_view type) -> std::expected<void, std::string> {
    if (!overflow && value <= largest) return {};
    return std::unexpected(
        fmt::format("the value does not fit in {}, whose largest value is {}", type, largest));
  };
  using Int = std::numeric_limits<std::int32_t>;
  using Uint = std::numeric_limits<std::uint32_t>;
  using Abstract = std::numeric_limits<std::int64_t>;
  if (parts.suffix == 'i') {
    if (auto ok = check(Int::max(), "i32"); !ok) return std::unexpected(std::move(ok).error());
    return Scalar::of(static_cast<std::int32_t>(value));
  }
  if (parts.suffix == 'u') {
    if (auto ok = check(Uint::max(), "u32"); !ok) return std::unexpected(std::move(ok).error());
    return Scalar::of(static_cast<std::uint32_t>(value));
  }
  if (auto ok = check(Abstract::max(), "an abstract integer"); !ok) {
    return std::unexpected(std::move(ok).error());
  }
  return Scalar::abstract(static_cast<std::int64_t>(value));
}

// ---- Floating point

// An IEEE binary format; `precision` counts the implicit bit.
struct Format {
  int precision, min_exponent, max_exponent;
  std::string_view name, largest;
};
constexpr Format kF16{11, -14, 15, "f16", "65504"};
constexpr Format kF32{24, -126, 127, "f32", "about 3.4e38"};
constexpr Format kF64{53, -1022, 1023, "an abstract float", "about 1.8e308"};

const Format& format_of(char suffix) {
  if (suffix == 'h') return kF16;
  return suffix == 'f' ? kF32 : kF64;
}

// mantissa * 2^exponent; `sticky` says that something smaller than the last bit was left off.
struct Binary {
  std::uint64_t mantissa = 0;
  std::int64_t exponent = 0;
  bool sticky = false;
};

struct Encoded {
  std::uint64_t bits = 0;
  bool exact = true;
};

// Rounds to nearest, ties to even; nothing when the result would be infinite.
std::optional<Encoded> encode(const Binary& value, const Format& format) {
  if (value.mantissa == 0) return Encoded{0, !value.sticky};
  const int fraction_bits = format.precision - 1;
  const std::int64_t top = value.exponent + 63 - std::countl_zero(value.mantissa);
  if (top > format.max_exponent) return std::nullopt;
  // Weight of the last bit.
  const std::int64_t unit = std::max<std::int64_t>(top, format.min_exponent) - fraction_bits;
  const std::int64_t drop = unit - value.exponent;
  std::uint64_t kept = 0;
  bool half = false;
  bool rest = value.sticky;
  if (drop <= 0) {
    kept = value.mantissa << -drop;
  } else if (drop <= 64) {
    kept = drop == 64 ? 0 : value.mantissa >> drop;
    half = ((value.mantissa >> (drop - 1)) & 1U) != 0;
    rest = rest || (value.mantissa & ((std::uint64_t{1} << (drop - 1)) - 1)) != 0;
  } else {
    rest = true;
  }
  if (half && (rest || (kept & 1U) != 0)) ++kept;
  std::uint64_t bits = kept;
  if (top >= format.min_exponent) {
    bits += static_cast<std::uint64_t>(top - format.min_exponent) << fraction_bits;
  }
  const std::int64_t infinity_exponent =
      std::int64_t{format.max_exponent} - format.min_exponent + 2;
  if (bits >= static_cast<std::uint64_t>(infinity_exponent) << fraction_bits) return std::nullopt;
  return Encoded{bits, !half && !rest};
}

// Larger than any useful exponent, and small enough that arithmetic on it does not overflow.
constexpr std::int64_t kHugeExponent = std::int64_t{1} << 40;

std::int64_t exponent_value(std::string_view text) {
  if (text.empty()) return 0;
  const bool negative = text[0] == '-';
  if (!is_digit(text[0])) text.remove_prefix(1);
  std::int64_t value = 0;
  for (const char c : text) value = std::min(value * 10 + (c - '0'), kHugeExponent);
  return negative ? -value : value;
}

Binary hexadecimal_float(const Parts& parts) {
  Binary value;
  const auto append = [&](std::string_view digits, bool behind_point) {
    for (const char c : digits) {
      const bool room = value.mantissa >> 60U == 0;
      if (room) {
        value.mantissa = value.mantissa << 4U | hex_value(c);
      } else {
        value.sticky = value.sticky || c != '0';
      }
      if (room && behind_point) value.exponent -= 4;
      if (!room && !behind_point) value.exponent += 4;
    }
  };
  append(parts.whole, false);
  append(parts.fraction, true);
  value.exponent += exponent_value(parts.exponent);
  return value;
}

// Whether a decimal number that does not fit into a double is too small rather than too large.
bool is_tiny(const Parts& parts) {
  const auto first_of = [](std::string_view digits) { return digits.find_first_not_of('0'); };
  std::int64_t magnitude = exponent_value(parts.exponent);
  if (const auto at = first_of(parts.whole); at != std::string_view::npos) {
    magnitude += static_cast<std::int64_t>(parts.whole.size() - at);
  } else if (const auto behind = first_of(parts.fraction); behind != std::string_view::npos) {
    magnitude -= static_cast<std::int64_t>(behind);
  } else {
    return true;
  }
  return magnitude < 0;
}

// The nearest T, or infinity.
template <class T>
T nearest(const Parts& parts, std::string_view digits) {
  T value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc{}) return value;
  return is_tiny(parts) ? T{0} : std::numeric_limits<T>::infinity();
}

std::optional<Encoded> decimal_float(const Parts& parts, std::string_view literal) {
  const std::string_view digits = literal.substr(0, parts.size - (parts.suffix != 0 ? 1 : 0));
  if (parts.suffix == 'f') {
    const auto value = nearest<float>(parts, digits);
    if (std::isinf(value)) return std::nullopt;
    return Encoded{std::bit_cast<std::uint32_t>(value)};
  }
  const auto value = nearest<double>(parts, digits);
  if (std::isinf(value)) return std::nullopt;
  if (parts.suffix == 0) return Encoded{std::bit_cast<std::uint64_t>(value)};
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return encode({static_cast<std::uint64_t>(std::ldexp(mantissa, 53)), exponent - 53, false}, kF16);
}

std::expected<Scalar, std::string> float_value(const Parts& parts, std::string_view literal) {
  const Format& format = format_of(parts.suffix);
  const auto encoded =
      parts.hexadecimal ? encode(hexadecimal_float(parts), format) : decimal_float(parts, literal);
  if (!encoded) {
    return std::unexpected(fmt::format("the value does not fit in {}, whose largest value is {}",
                                       format.name, format.largest));
  }
  if (parts.hexadecimal && parts.suffix != 0 && !encoded->exact) {
    return std::unexpected(
        fmt::format("the hexadecimal value is not exactly representable as {}", format.name));
  }
  if (parts.suffix == 'h') return Scalar{ScalarKind::f16, encoded->bits};
  if (parts.suffix == 'f') return Scalar{ScalarKind::f32, encoded->bits};
  return Scalar{ScalarKind::abstract_float, encoded->bits};
}

}  // namespace

std::size_t scan_number(std::string_view text) { return Scanner(text).run().size; }

std::expected<Scalar, std::string> number_value(std::string_view literal) {
  const Parts parts = Scanner(literal).run();
  return parts.is_float() ? float_value(parts, literal) : integer_value(parts);
}

std::string explain_malformed_number(std::string_view text) {
  const Parts parts = Scanner(text).run();
  const std::string_view number = text.substr(0, parts.size);
  const std::string_view rest = text.substr(parts.size);
  const char next = rest.empty() ? '\0' : rest[0];
  const char lower = static_cast<char>(next | 0x20);
  if (number == "0" && is_digit(next)) {
    return fmt::format("number '{}' has a leading zero; WGSL has no octal numbers", text);
  }
  if (number == "0" && lower == 'x') return "'0x' needs hexadecimal digits behind it";
  if (number == "0" && (lower == 'b' || lower == 'o')) {
    return fmt::format("'{}': numbers are decimal or, with '0x', hexadecimal", text);
  }
  if (next == '_') return fmt::format("'{}': digits of a number cannot be separated by '_'", text);
  if (parts.exponent.empty() && parts.suffix == 0 && lower == (parts.hexadecimal ? 'p' : 'e')) {
    return fmt::format("the exponent of '{}' has no digits", text);
  }
  if (parts.hexadecimal && parts.has_point && parts.exponent.empty() && rest == "h") {
    return fmt::format("'{}': a hexadecimal float with a suffix needs an exponent, as in '{}p0h'",
                       text, number);
  }
  if (rest == "li" || rest == "lu" || rest == "lf") {
    return fmt::format("'{}': vyre has no 64-bit numbers (docs/wgsl.md)", text);
  }
  return fmt::format("invalid suffix '{}' on number '{}'", rest, number);
}

}  // namespace vyre
