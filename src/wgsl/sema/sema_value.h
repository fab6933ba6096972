// The result of checking an expression: its type, the phase in which its value is known, and either
// that value or the IR expression that computes it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "vyre/ir/program.h"
#include "vyre/wgsl/source.h"

namespace vyre::sema {

enum class Phase : std::uint8_t {
  constant,   // known now
  override_,  // known once overrides have values
  runtime,
};

constexpr Phase later(Phase a, Phase b) { return a < b ? b : a; }

// The scalars of a constant in memory order, with bits as in Scalar. Null is the zero value of the
// type, so that zeros of any size cost nothing.
using ConstData = std::shared_ptr<const std::vector<std::uint64_t>>;

// The variable or pointer parameter at which a memory view begins.
struct Root {
  enum class Kind : std::uint8_t { none, global, parameter, local };
  Kind kind = Kind::none;
  std::uint32_t index = 0;  // of the GlobalId, the parameter or the LocalId
  bool operator==(const Root&) const = default;
};

struct Value {
  enum class Kind : std::uint8_t {
    error,      // already reported; uses report no further errors
    none,       // a call that returns nothing
    value,      // a value, which may be a pointer
    reference,  // a memory view; the load rule makes it a value
    swizzle,    // some components of a vector in memory; the load rule makes it a value
  };
  Kind kind = Kind::error;
  Phase phase = Phase::runtime;
  MemoryKind memory = MemoryKind::function;  // of a reference or swizzle
  Access access = Access::read_write;        // of a reference or swizzle
  // Evaluating `expr` reads memory that a later statement may change.
  bool reads = false;
  // A reference to one component of a vector, whose address cannot be taken.
  bool vector_component = false;
  bool of_swizzle = false;  // a component of a swizzle of memory
  TypeId type{};            // of the value; for a reference, of its target
  TypeId vector{};          // of a swizzle: the type of the whole vector
  // Of a swizzle: which component of the vector is component i. Others than those of `type` are 0.
  std::array<std::uint8_t, 4> lanes{};
  ExprId expr = kNoExpr;  // for a reference, the pointer, for a swizzle, that to the vector; absent
                          // for constants
  ConstData data;         // of constants
  Root root;              // of references, swizzles and pointers
  Span span;

  bool failed() const { return kind == Kind::error; }
  bool is_reference() const { return kind == Kind::reference; }
  bool is_swizzle() const { return kind == Kind::swizzle; }
  bool is_constant() const { return kind == Kind::value && phase == Phase::constant; }
  std::uint64_t bits(std::size_t i = 0) const { return data ? (*data)[i] : 0; }
};

}  // namespace vyre::sema
