// Syntax trees as text, for tests: one line per node that stands on its own, expressions as
// s-expressions.
#pragma once

#include <string>
#include <string_view>

#include "vyre/wgsl/parser/ast.h"

namespace vyre {

// `a + b[1]` is "(+ a ([] b 1))"; calls are "(call f a b)", members "(. a x)", template lists
// "vec2<f32>", numbers their value with the kind behind it where it is not abstract: "1u32".
std::string to_text(const ast::Expr& expr);
// Indented by two spaces a level, each line ended.
std::string to_text(const ast::Statement& statement);
std::string to_text(const ast::Module& module);

// What `const x = <text>;` makes of the text, or the messages of the errors, one a line.
std::string parse_expression_text(std::string_view text);
// The same for the statements of a function's body.
std::string parse_body_text(std::string_view text);
// The same for a whole module.
std::string parse_module_text(std::string_view text);
// The errors of a module as people see them, with the file's name "test.wgsl"; empty without
// errors.
std::string rendered_errors(std::string_view text);

}  // namespace vyre
