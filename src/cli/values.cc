#include "vyre/cli/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "vyre/base/arithmetic.h"
#include "vyre/tune/time_words.h"

namespace vyre {
namespace {

std::unexpected<Error> not_a(std::string_view what, std::string_view text) {
  return fail(Code::invalid_input, fmt::format("{} is not {}", quote(text), what));
}

}  // namespace

Result<Extent> parse_extent(std::string_view text, std::string_view separators) {
  Extent extent{1, 1, 1};
  std::size_t axis = 0;
  while (true) {
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    const std::size_t at = text.find_first_of(separators, hexadecimal ? 2 : 0);
    if (axis == extent.size()) {
      return fail(Code::invalid_input, "there are more than three axes");
    }
    VYRE_TRY(const std::uint64_t value, parse_whole(text.substr(0, at), UINT32_MAX));
    if (value == 0) return fail(Code::invalid_input, "each axis must be at least 1");
    extent[axis++] = static_cast<std::uint32_t>(value);
    if (at == std::string_view::npos) return extent;
    text.remove_prefix(at + 1);
  }
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
  struct Unit {
    std::string_view name;
    std::uint64_t bytes;
  };
  static constexpr std::array kUnits{
      Unit{"", 1},
      Unit{"B", 1},
      Unit{"KiB", std::uint64_t{1} << 10},
      Unit{"MiB", std::uint64_t{1} << 20},
      Unit{"GiB", std::uint64_t{1} << 30},
      Unit{"TiB", std::uint64_t{1} << 40},
      Unit{"KB", 1000},
      Unit{"MB", 1000000},
      Unit{"GB", 1000000000},
      Unit{"TB", 1000000000000},
  };
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view number = text.substr(0, digits);
  std::string_view unit = text.substr(digits);
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const Unit& known : kUnits) {
    if (known.name != unit) continue;
    if (number.find('.') == std::string_view::npos) {
      VYRE_TRY(const std::uint64_t value, parse_whole(number));
      const auto bytes = checked_mul(value, known.bytes);
      if (!bytes) return fail(Code::invalid_input, fmt::format("{} is too large", quote(text)));
      return *bytes;
    }
    const auto value = parse_decimal(number);
    const double bytes = value ? *value * static_cast<double>(known.bytes) : -1;
    if (!value || bytes != std::floor(bytes)) return not_a("a whole number of bytes", text);
    if (bytes >= 0x1p64) return fail(Code::invalid_input, fmt::format("{} is too large", text));
    return static_cast<std::uint64_t>(bytes);
  }
  return fail(Code::invalid_input, fmt::format("{} is not a number of bytes", quote(text)),
              "write it like 4096, 64KiB or 1.5MiB");
}

Result<double> parse_number(std::string_view text) {
  if (text == "true") return 1.0;
  if (text == "false") return 0.0;
  const bool negative = text.starts_with('-');
  if (const std::string_view digits = text.substr(negative ? 1 : 0);
      digits.starts_with("0x") || digits.starts_with("0X")) {
    VYRE_TRY(const std::uint64_t value, parse_whole(digits, UINT32_MAX));
    return negative ? -static_cast<double>(value) : static_cast<double>(value);
  }
  const auto value = parse_decimal(text);
  if (!value || !std::isfinite(*value)) return not_a("a finite number, true or false", text);
  return *value;
}

Result<double> parse_deadline(const std::string& text) {
  constexpr double kMost = 1e9;  // 30 years
  VYRE_TRY(const double seconds, parse_number(text));
  if (seconds <= 0) return fail(Code::invalid_input, "it must be more than 0");
  return std::min(seconds, kMost);
}

std::string format_scalar(const Scalar& scalar) {
  switch (scalar.kind) {
    case ScalarKind::boolean: return scalar.as_bool() ? "true" : "false";
    case ScalarKind::i32: return fmt::format("{}", scalar.as_i32());
    case ScalarKind::u32: return fmt::format("{}", scalar.as_u32());
    case ScalarKind::f32: return fmt::format("{}", static_cast<float>(scalar.as_double()));
    default: break;
  }
  const double value = scalar.as_double();
  if (!std::isfinite(value)) return fmt::format("{}", value);
  for (int digits = 1; digits <= 5; ++digits) {
    std::string text = fmt::format("{:.{}g}", value, digits);
    if (const auto back = parse_decimal(text); back && double_to_f16(*back) == scalar.bits)
      return text;
  }
  return fmt::format("{}", value);
}

std::string format_extent(const Extent& extent) {
  return fmt::format("{}x{}x{}", extent[0], extent[1], extent[2]);
}

std::string format_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
  static constexpr std::array kNames{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kNames.size()) {
    value /= 1024;
    ++unit;
  }
  return value == std::floor(value) ? fmt::format("{:.0f} {}", value, kNames[unit])
                                    : fmt::format("{:.1f} {}", value, kNames[unit]);
}

std::string format_duration(std::uint64_t ns) { return time_words(static_cast<double>(ns)); }

std::string format_rate(std::uint64_t bytes_per_second) {
  const auto value = static_cast<double>(bytes_per_second);
  if (value < 1e9) return fmt::format("{:.1f} MB/s", value / 1e6);
  if (value < 1e12) return fmt::format("{:.1f} GB/s", value / 1e9);
  return fmt::format("{:.2f} TB/s", value / 1e12);
}

}  // namespace vyre
