// Attributes, directives and diagnostic controls.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "vyre/wgsl/sema/sema_context.h"

namespace vyre::sema {

// Reports attributes that are not allowed on `what` ("a struct member"), or are there twice.
void check_attributes(Context& cx, ast::AttributeList list, std::string_view what,
                      std::initializer_list<ast::AttributeKind> allowed);
// Null if it is missing.
const ast::Attribute* find_attribute(ast::AttributeList list, ast::AttributeKind kind);

// The diagnostic controls of an item are in force during the lifetime of this object.
class FilterScope {
 public:
  FilterScope(Context& cx, ast::AttributeList list);
  ~FilterScope() { cx_.filters = outer_; }
  FilterScope(const FilterScope&) = delete;
  FilterScope& operator=(const FilterScope&) = delete;

 private:
  Context& cx_;
  Filters outer_;
};

// @invariant needs @builtin(position) beside it.
void check_invariant(Context& cx, ast::AttributeList list);

// The only argument: a constant integer of at least `least`. Reported and empty otherwise.
std::optional<std::uint32_t> attribute_number(Context& cx, const ast::Attribute& attribute,
                                              std::uint32_t least,
                                              std::uint32_t most = 0x7FFF'FFFFU);

// Whether `enable` can name it.
bool is_extension(std::string_view name);

// enable, requires and diagnostic at the top of the module.
void check_directives(Context& cx);

}  // namespace vyre::sema
