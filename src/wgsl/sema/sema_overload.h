// Overload resolution over patterns: one letter describes a parameter, and one pattern stands for
// all overloads that differ in scalar kind and size.
//
//   T  S or vecN<S>        S  the scalar            V  vecN<S>
//   2 3 4  vec2<S>, ...    U  u32, shaped as T      I  abstract integer, shaped as T
//   J  i32, shaped as T
//   B  bool, shaped as T   w  vecN<bool>            u i b  u32, i32, bool
//   M  matCxR<S>           Q  matCxC<S>             m  matRxC<S>
//   C  vecC<S>             R  vecR<S>               A  matKxR<S>     K  matCxK<S>
//   X  the result of frexp(T)                       Y  the result of modf(T)
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "vyre/wgsl/sema/sema_context.h"

namespace vyre::sema {

using KindSet = std::uint8_t;  // one bit per ScalarKind
constexpr KindSet kind_bit(ScalarKind kind) {
  return static_cast<KindSet>(1U << static_cast<unsigned>(kind));
}
constexpr KindSet kBool = kind_bit(ScalarKind::boolean);
constexpr KindSet kF32 = kind_bit(ScalarKind::f32);
constexpr KindSet kI32 = kind_bit(ScalarKind::i32);
constexpr KindSet kU32 = kind_bit(ScalarKind::u32);
constexpr KindSet kFloats = kF32 | kind_bit(ScalarKind::f16) | kind_bit(ScalarKind::abstract_float);
constexpr KindSet kConcreteIntegers = kI32 | kU32;
constexpr KindSet kIntegers = kConcreteIntegers | kind_bit(ScalarKind::abstract_int);
constexpr KindSet kNumbers = kFloats | kIntegers;
constexpr KindSet kSigned = kNumbers & ~kU32;
constexpr KindSet kScalars = kNumbers | kBool;

struct Pattern {
  std::string_view parameters;  // at most kMaxParameters letters
  char result;
  KindSet kinds;  // what S may be
};

constexpr std::size_t kMaxParameters = 4;

struct Match {
  std::size_t pattern;  // index of the candidate
  std::array<TypeId, kMaxParameters> parameters;
  TypeId result;
};

// The preferred candidate for these arguments; empty if none applies.
std::optional<Match> resolve(Context& cx, std::span<const Pattern> candidates,
                             std::span<const Value> arguments);

// "(T, T, u32) -> T, T is i32, u32 or a vector of these".
std::string describe(const Pattern& pattern);
// "(i32, vec2<f32>)".
std::string spell_types(const Context& cx, std::span<const Value> arguments);

}  // namespace vyre::sema
