#include "vyre/pipeline/dim_expression.h"

#include <fmt/format.h>

#include <cctype>
#include <numeric>

namespace vyre {
namespace {

constexpr int kMostNesting = 64;

class Reader {
 public:
  Reader(std::string_view text, const FindDim& dim) : text_(text), dim_(dim) {}

  Result<Fraction> read() {
    VYRE_TRY(const Fraction value, sum(0));
    skip();
    if (at_ != text_.size()) return wrong(fmt::format("'{}' is not expected", text_.substr(at_)));
    return value;
  }

 private:
  std::unexpected<Error> wrong(const std::string& what) const {
    return fail(Code::invalid_input, fmt::format("in \"{}\": {}", text_, what));
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Result<Fraction> make(std::int64_t above, std::int64_t below) const {
    if (below == 0) return wrong("a division by zero");
    if (below == INT64_MIN || above == INT64_MIN) return too_large();
    if (below < 0) {
      above = -above;
      below = -below;
    }
    const std::int64_t common = std::gcd(above, below);
    return Fraction{above / common, below / common};
  }
  std::unexpected<Error> too_large() const { return wrong("a number is too large"); }

  Result<Fraction> add(const Fraction& a, std::int64_t sign, const Fraction& b) const {
    std::int64_t x = 0, y = 0, below = 0, above = 0;
    if (__builtin_mul_overflow(a.above, b.below, &x) ||
        __builtin_mul_overflow(b.above, a.below, &y) ||
        __builtin_mul_overflow(a.below, b.below, &below) || __builtin_mul_overflow(y, sign, &y) ||
        __builtin_add_overflow(x, y, &above)) {
      return too_large();
    }
    return make(above, below);
  }
  Result<Fraction> multiply(const Fraction& a, std::int64_t above, std::int64_t below) const {
    std::int64_t x = 0, y = 0;
    if (__builtin_mul_overflow(a.above, above, &x) || __builtin_mul_overflow(a.below, below, &y)) {
      return too_large();
    }
    return make(x, y);
  }

  Result<Fraction> sum(int depth) {
    VYRE_TRY(Fraction value, product(depth));
    while (true) {
      if (take('+')) {
        VYRE_TRY(const Fraction next, product(depth));
        VYRE_TRY(value, add(value, 1, next));
      } else if (take('-')) {
        VYRE_TRY(const Fraction next, product(depth));
        VYRE_TRY(value, add(value, -1, next));
      } else {
        return value;
      }
    }
  }
  Result<Fraction> product(int depth) {
    VYRE_TRY(Fraction value, factor(depth));
    while (true) {
      if (take('*')) {
        VYRE_TRY(const Fraction next, factor(depth));
        VYRE_TRY(value, multiply(value, next.above, next.below));
      } else if (take('/')) {
        VYRE_TRY(const Fraction next, factor(depth));
        VYRE_TRY(value, multiply(value, next.below, next.above));
      } else {
        return value;
      }
    }
  }
  Result<Fraction> factor(int depth) {
    if (depth > kMostNesting) return wrong("parentheses are nested too deeply");
    if (take('(')) return closed(sum(depth + 1));
    skip();
    const std::size_t first = at_;
    const auto is_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    const std::string_view word = text_.substr(first, at_ - first);
    if (word.empty()) {
      return wrong(at_ == text_.size() ? "something is missing at its end"
                                       : fmt::format("'{}' is not expected", text_[at_]));
    }
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) return number(word);
    if (take('(')) return call(word, depth);
    VYRE_TRY(const std::uint64_t value, dim_(word));
    if (value > INT64_MAX) return too_large();
    return Fraction{static_cast<std::int64_t>(value), 1};
  }
  Result<Fraction> closed(Result<Fraction> inner) {
    if (inner && !take(')')) return wrong("a ')' is missing");
    return inner;
  }
  Result<Fraction> number(std::string_view word) const {
    std::int64_t value = 0;
    for (const char c : word) {
      if (std::isdigit(static_cast<unsigned char>(c)) == 0) {
        return wrong(fmt::format("'{}' is no whole number", word));
      }
      if (__builtin_mul_overflow(value, std::int64_t{10}, &value) ||
          __builtin_add_overflow(value, std::int64_t{c - '0'}, &value)) {
        return too_large();
      }
    }
    return Fraction{value, 1};
  }
  Result<Fraction> call(std::string_view name, int depth) {
    VYRE_TRY(const Fraction a, sum(depth + 1));
    if (name == "ceil" || name == "floor") {
      std::int64_t whole = a.above / a.below;
      if (a.above % a.below != 0) {
        if (name == "ceil" && a.above > 0) ++whole;
        if (name == "floor" && a.above < 0) --whole;
      }
      return closed(Fraction{whole, 1});
    }
    if (name != "min" && name != "max") {
      return wrong(
          fmt::format("there is no function '{}': there are ceil, floor, min and max", name));
    }
    if (!take(',')) return wrong(fmt::format("{} has two arguments", name));
    VYRE_TRY(const Fraction b, sum(depth + 1));
    VYRE_TRY(const Fraction difference, add(a, -1, b));
    return closed((difference.above < 0) == (name == "min") ? a : b);
  }

  std::string_view text_;
  const FindDim& dim_;
  std::size_t at_ = 0;
};

}  // namespace

Result<Fraction> evaluate(std::string_view expression, const FindDim& dim) {
  return Reader(expression, dim).read();
}

Result<std::uint64_t> evaluate_size(std::string_view expression, const FindDim& dim,
                                    std::uint64_t most) {
  VYRE_TRY(const Fraction value, evaluate(expression, dim));
  if (value.below != 1) {
    return fail(
        Code::invalid_input,
        fmt::format("\"{}\" is {}/{}, not a whole number", expression, value.above, value.below),
        "round it with ceil(...) or floor(...)");
  }
  if (value.above < 1 || static_cast<std::uint64_t>(value.above) > most) {
    return fail(Code::invalid_input, fmt::format("\"{}\" is {}; it must be from 1 to {}",
                                                 expression, value.above, most));
  }
  return static_cast<std::uint64_t>(value.above);
}

}  // namespace vyre
