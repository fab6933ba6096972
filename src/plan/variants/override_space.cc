// The combinations of override values, and the constraints on them: a small expression language,
//
//   or      = and ("||" and)*
//   and     = compare ("&&" compare)*
//   compare = sum (("<" | "<=" | ">" | ">=" | "==" | "!=") sum)?
//   sum     = product (("+" | "-") product)*
//   product = unary (("*" | "/" | "%") unary)*
//   unary   = ("-" | "!")? (number | name | "(" or ")")
//
// over numbers, where 0 is false. A division by 0 makes the whole constraint false.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "vyre/plan/variants/variant_space.h"

namespace vyre {
namespace {

using Values = std::map<std::string, double, std::less<>>;

constexpr unsigned kDeepest = 64;

class Constraint {
 public:
  Constraint(std::string_view text, const Values& values)
      : text_(text), rest_(text), values_(values) {}

  Result<bool> holds() {
    VYRE_TRY(const double value, any());
    skip();
    if (!rest_.empty()) return wrong("an operator");
    return value != 0 && !std::isnan(value);
  }

 private:
  void skip() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0) {
      rest_.remove_prefix(1);
    }
  }

  bool take(std::string_view token) {
    skip();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  std::unexpected<Error> wrong(std::string_view wanted) const {
    return fail(
        Code::invalid_input,
        fmt::format("the constraint '{}' is wrong at '{}': {} is missing", text_, rest_, wanted));
  }

  Result<double> any() {
    VYRE_TRY(double left, all());
    while (take("||")) {
      VYRE_TRY(const double right, all());
      left = (left != 0 || right != 0) ? 1 : 0;
    }
    return left;
  }

  Result<double> all() {
    VYRE_TRY(double left, compare());
    while (take("&&")) {
      VYRE_TRY(const double right, compare());
      left = (left != 0 && right != 0) ? 1 : 0;
    }
    return left;
  }

  Result<double> compare() {
    VYRE_TRY(const double a, sum());
    for (const std::string_view op : {"<=", ">=", "==", "!=", "<", ">"}) {
      if (!take(op)) continue;
      VYRE_TRY(const double b, sum());
      const bool yes = op == "<="   ? a <= b
                       : op == ">=" ? a >= b
                       : op == "==" ? a == b
                       : op == "!=" ? a != b
                       : op == "<"  ? a < b
                                    : a > b;
      return yes ? 1 : 0;
    }
    return a;
  }

  Result<double> sum() {
    VYRE_TRY(double left, product());
    while (true) {
      if (take("+")) {
        VYRE_TRY(const double right, product());
        left += right;
      } else if (take("-")) {
        VYRE_TRY(const double right, product());
        left -= right;
      } else {
        return left;
      }
    }
  }

  Result<double> product() {
    VYRE_TRY(double left, unary());
    while (true) {
      if (take("*")) {
        VYRE_TRY(const double right, unary());
        left *= right;
      } else if (take("/")) {
        VYRE_TRY(const double right, unary());
        left = right == 0 ? std::numeric_limits<double>::quiet_NaN() : left / right;
      } else if (take("%")) {
        VYRE_TRY(const double right, unary());
        left = right == 0 ? std::numeric_limits<double>::quiet_NaN() : std::fmod(left, right);
      } else {
        return left;
      }
    }
  }

  Result<double> unary() {
    skip();
    if (++depth_ > kDeepest) return fail(Code::limit, "the constraint is nested too deeply");
    struct Leave {
      unsigned& depth;
      ~Leave() { --depth; }
    } leave{depth_};
    if (take("-")) {
      VYRE_TRY(const double value, unary());
      return -value;
    }
    if (rest_.starts_with("!") && !rest_.starts_with("!=")) {
      rest_.remove_prefix(1);
      VYRE_TRY(const double value, unary());
      return value == 0 ? 1 : 0;
    }
    if (take("(")) {
      VYRE_TRY(const double value, any());
      if (!take(")")) return wrong("')'");
      return value;
    }
    double number = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error == std::errc()) {
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      return number;
    }
    return named();
  }

  Result<double> named() {
    std::size_t length = 0;
    while (length < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[length])) != 0 ||
                                     rest_[length] == '_' || rest_[length] == '@')) {
      ++length;
    }
    if (length == 0) return wrong("a number or a name");
    const std::string_view name = rest_.substr(0, length);
    const auto found = values_.find(name);
    if (found == values_.end()) {
      return fail(Code::invalid_input,
                  fmt::format("the constraint '{}' names '{}', which is not searched", text_, name),
                  "name an override that is given with its values");
    }
    rest_.remove_prefix(length);
    return found->second;
  }

  std::string_view text_, rest_;
  const Values& values_;
  unsigned depth_ = 0;
};

Result<double> value_in(const OverrideAxis& axis, std::string_view text) {
  if (text == "true") return 1;
  if (text == "false") return 0;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const bool suffix = rest.empty() || rest == "u" || rest == "i" || rest == "f" || rest == "h";
  if (error != std::errc() || !suffix) {
    return fail(Code::invalid_input, fmt::format("{}: '{}' is no value", axis.name, text),
                "give numbers, true or false");
  }
  return value;
}

}  // namespace

Result<OverrideAxis> parse_override_axis(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size()) {
    return fail(Code::invalid_input, fmt::format("'{}' is not NAME=VALUE,VALUE,...", text));
  }
  OverrideAxis out{std::string(text.substr(0, equals)), {}};
  std::string_view rest = text.substr(equals + 1);
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view value = rest.substr(0, comma);
    VYRE_CHECK(value_in(out, value));
    if (std::ranges::find(out.values, value) != out.values.end()) {
      return fail(Code::invalid_input, fmt::format("{} has the value {} twice", out.name, value));
    }
    out.values.emplace_back(value);
    if (comma == std::string_view::npos) return out;
    rest.remove_prefix(comma + 1);
  }
}

Result<std::vector<std::vector<OverrideSetting>>> override_combinations(
    const std::vector<OverrideAxis>& axes, const std::vector<std::string>& constraints,
    std::size_t most) {
  std::vector<std::vector<OverrideSetting>> out;
  std::size_t all = 1;
  for (const OverrideAxis& axis : axes) {
    if (std::ranges::count(axes, axis.name, &OverrideAxis::name) > 1) {
      return fail(Code::invalid_input, fmt::format("{} is given twice", axis.name));
    }
    all = all > (std::size_t{1} << 24) / axis.values.size() ? std::size_t{1} << 25
                                                            : all * axis.values.size();
  }
  if (all > std::size_t{1} << 24) {
    return fail(Code::limit, "the overrides have more than 16,777,216 combinations",
                "give fewer values");
  }
  for (std::size_t number = 0; number < all; ++number) {
    std::vector<OverrideSetting> combination(axes.size());
    Values values;
    std::size_t rest = number;
    for (std::size_t i = axes.size(); i-- > 0;) {
      const std::string& value = axes[i].values[rest % axes[i].values.size()];
      rest /= axes[i].values.size();
      combination[i] = {axes[i].name, value};
      VYRE_TRY(values[axes[i].name], value_in(axes[i], value));
    }
    bool allowed = true;
    for (const std::string& text : constraints) {
      VYRE_TRY(const bool holds, Constraint(text, values).holds());
      allowed = allowed && holds;
    }
    if (!allowed) continue;
    if (out.size() == most) {
      return fail(Code::limit, fmt::format("more than {} combinations are allowed", most),
                  "give fewer values, or constraints that leave fewer");
    }
    out.push_back(std::move(combination));
  }
  if (out.empty()) {
    return fail(Code::invalid_input, "the constraints leave no combination of the overrides");
  }
  return out;
}

}  // namespace vyre
