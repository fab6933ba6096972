#include "vyre/pipeline/loop_condition.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "vyre/data/npy/packed_elements.h"
#include "vyre/data/number_text.h"

namespace vyre {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Longer operators come before "<" and ">", which are beginnings of some of them.
constexpr std::array<std::pair<std::string_view, CompareWith>, 6> kOperators{
    {{"==", CompareWith::equal},
     {"!=", CompareWith::not_equal},
     {"<=", CompareWith::at_most},
     {">=", CompareWith::at_least},
     {"<", CompareWith::less},
     {">", CompareWith::more}}};

}  // namespace

Result<ConditionText> parse_condition(std::string_view text) {
  const auto wrong = [&](std::string_view what) {
    return fail(Code::invalid_input, fmt::format("until = \"{}\": {}", text, what),
                "write a buffer, one of == != < <= > >=, and a number: \"moved == 0\"");
  };
  const std::size_t at = text.find_first_of("=!<>");
  if (at == std::string_view::npos) return wrong("it compares nothing");
  ConditionText out;
  std::string_view number;
  for (const auto& [sign, compare] : kOperators) {
    if (!text.substr(at).starts_with(sign)) continue;
    out.compare = compare;
    number = trimmed(text.substr(at + sign.size()));
    break;
  }
  const auto value = parse_decimal(number);
  if (!value || std::isnan(*value)) return wrong(fmt::format("'{}' is not a number", number));
  out.number = *value;
  std::string_view buffer = trimmed(text.substr(0, at));
  if (const std::size_t bracket = buffer.find('['); bracket != std::string_view::npos) {
    if (!buffer.ends_with(']')) return wrong("a ']' is missing");
    const std::string_view inside = buffer.substr(bracket + 1, buffer.size() - bracket - 2);
    const auto index = parse_whole(trimmed(inside));
    if (!index) return wrong(fmt::format("'{}' is no index", inside));
    out.index = *index;
    buffer = trimmed(buffer.substr(0, bracket));
  }
  if (buffer.empty()) return wrong("it names no buffer");
  out.buffer = buffer;
  return out;
}

bool LoopCondition::holds(std::span<const std::byte> scalar) const {
  const Scalar found = load_scalar(scalar, 0, kind);
  const double value = is_float(kind) ? found.as_double() : static_cast<double>(found.as_int());
  switch (compare) {
    case CompareWith::equal: return value == number;
    case CompareWith::not_equal: return value != number;
    case CompareWith::less: return value < number;
    case CompareWith::at_most: return value <= number;
    case CompareWith::more: return value > number;
    case CompareWith::at_least: return value >= number;
  }
  return false;
}

}  // namespace vyre
