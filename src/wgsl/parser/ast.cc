#include "vyre/wgsl/parser/ast.h"

namespace vyre::ast {

std::string_view to_string(UnaryOp op) {
  constexpr std::string_view kSpelling[] = {"-", "!", "~", "*", "&"};
  return kSpelling[static_cast<std::size_t>(op)];
}

std::string_view to_string(BinaryOp op) {
  constexpr std::string_view kSpelling[] = {"+",  "-",  "*",  "/",  "%",  "&", "|",  "^", "<<",
                                            ">>", "&&", "||", "==", "!=", "<", "<=", ">", ">="};
  return kSpelling[static_cast<std::size_t>(op)];
}

std::string_view to_string(VariableKind kind) {
  constexpr std::string_view kSpelling[] = {"var", "let", "const", "override"};
  return kSpelling[static_cast<std::size_t>(kind)];
}

}  // namespace vyre::ast
