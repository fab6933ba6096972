// The builtin functions of WGSL, as data.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "vyre/ir/operation.h"
#include "vyre/ir/program.h"
#include "vyre/wgsl/parser/ast.h"
#include "vyre/wgsl/sema/sema_overload.h"

namespace vyre::sema {

// A pure function of the IR with one name and all its patterns.
struct MathBuiltin {
  std::string_view name;
  MathFn fn;
  std::span<const Pattern> patterns;
};
const MathBuiltin* find_math(std::string_view name);

// Functions that are not pure, or whose parameters are not plain values.
enum class SpecialBuiltin : std::uint8_t {
  select,
  bitcast,
  array_length,
  buffer_view,
  buffer_array_view,
  buffer_length,
  atomic,
  atomic_compare_exchange,
  atomic_wide,  // of a vector, without a result
  workgroup_barrier,
  storage_barrier,
  texture_barrier,
  workgroup_uniform_load,
};
struct SpecialEntry {
  std::string_view name;
  SpecialBuiltin which;
  AtomicOp op = AtomicOp::load;  // of atomic
};
const SpecialEntry* find_special(std::string_view name);
bool is_buffer_function(SpecialBuiltin which);
bool takes_template(SpecialBuiltin which);  // bitcast<T>
// A call of it emits a statement.
bool has_effects(SpecialBuiltin which);

std::span<const Pattern> select_patterns();
std::span<const Pattern> unary_patterns(UnaryOp op);
std::span<const Pattern> binary_patterns(BinaryOp op);  // not for && and ||

// Why a name that WGSL predeclares is refused; empty for all others.
std::string_view refusal(std::string_view name);
// The same for the name of an extension or language feature.
std::string_view directive_refusal(std::string_view name);

// All names of builtin functions that can be called, for suggestions.
std::span<const std::string_view> builtin_names();

}  // namespace vyre::sema
