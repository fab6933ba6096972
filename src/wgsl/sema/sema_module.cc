#include "vyre/wgsl/sema/sema_module.h"

#include <utility>

#include "vyre/base/overloaded.h"
#include "vyre/wgsl/sema/sema_attributes.h"
#include "vyre/wgsl/sema/sema_order.h"
#include "vyre/wgsl/sema/sema_scope.h"
#include "vyre/wgsl/sema/sema_stmt.h"
#include "vyre/wgsl/sema/sema_types.h"

namespace vyre::sema {
namespace {

void check_alias(Context& cx, const ast::Alias& alias) {
  Symbol symbol;
  if (const auto type = resolve_type(cx, *alias.type)) symbol.what = TypeSymbol{*type};
  declare(cx, alias.name, std::move(symbol));
}

void check_declaration(Context& cx, const ast::Declaration& declaration) {
  std::visit(Overloaded{
                 [&](const ast::Variable& d) { check_global(cx, d); },
                 [&](const ast::Alias& d) { check_alias(cx, d); },
                 [&](const ast::Struct& d) { check_struct(cx, d); },
                 [&](const ast::Function& d) { check_function(cx, d); },
                 [&](const ast::ConstAssert& d) { check_assert(cx, d); },
             },
             declaration.node);
}

}  // namespace

void check_module(Context& cx) {
  check_directives(cx);
  const std::vector<std::uint32_t> order = dependency_order(cx.module, cx.diagnostics);
  // All names are declared first; a declaration that depends on itself is broken while it is
  // checked.
  for (const ast::Declaration* declaration : cx.module.declarations) {
    if (const ast::Name* name = declared_name(*declaration)) {
      Symbol broken;
      broken.declared = name->span;
      cx.names.try_emplace(name->text, std::move(broken));
    }
  }
  for (const std::uint32_t index : order) {
    if (cx.diagnostics.full()) return;
    check_declaration(cx, *cx.module.declarations[index]);
  }
}

}  // namespace vyre::sema
