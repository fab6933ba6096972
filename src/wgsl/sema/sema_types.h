// Types as they are written in a module.
#pragma once

#include <optional>
#include <string_view>

#include "vyre/wgsl/sema/sema_context.h"

namespace vyre::sema {

// The type that an expression names; reported and empty if it does not name a type.
std::optional<TypeId> resolve_type(Context& cx, const ast::Expr& expr);
// The same for a name with its template list, which may be predeclared.
std::optional<TypeId> resolve_type(Context& cx, const ast::Identifier& name, Span span);

// Type names that need a template list, except as a constructor that infers it: vec2, mat2x3,
// array.
struct Generator {
  enum class Kind : std::uint8_t { vector, matrix, array, atomic, pointer, buffer };
  Kind kind;
  std::uint32_t columns = 0;
  std::uint32_t rows = 0;  // a vector's size
};
std::optional<Generator> find_generator(std::string_view name);
// i32, vec3f, mat4x4h, ... : predeclared types without parameters. Reports f16 without `enable`.
std::optional<TypeId> find_plain_type(Context& cx, const ast::Name& name);
bool is_type_name(std::string_view name);  // any predeclared type or generator

// Whether memory of this kind can hold the type.
bool can_live_in(const TypeTable& types, TypeId type, MemoryKind memory);

// Reports a type that is too large or nested too deeply.
bool check_type_limits(Context& cx, TypeId type, Span span);

std::optional<MemoryKind> find_memory_kind(std::string_view name);
std::optional<Access> find_access(std::string_view name);
// The name of a predeclared enumerant (an address space, an access mode), which a declaration of
// the module can hide.
std::optional<std::string_view> enumerant(Context& cx, const ast::Expr& expr,
                                          std::string_view what);
// The name that an expression consists of; reported and empty if it is not a name.
std::optional<std::string_view> plain_name(Context& cx, const ast::Expr& expr,
                                           std::string_view what);

}  // namespace vyre::sema
