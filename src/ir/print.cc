#include "vyre/ir/print.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "vyre/base/overloaded.h"
#include "vyre/ir/print_expr.h"

namespace vyre {
namespace {

std::string_view order_name(Order order) {
  switch (order) {
    case Order::relaxed: return "relaxed";
    case Order::acquire: return "acquire";
    case Order::release: return "release";
    case Order::acquire_release: return "acquire_release";
    case Order::sequential: return "sequential";
  }
  return "unknown";
}

std::string_view atomic_name(AtomicOp op) {
  switch (op) {
    case AtomicOp::load: return "atomicLoad";
    case AtomicOp::store: return "atomicStore";
    case AtomicOp::add: return "atomicAdd";
    case AtomicOp::sub: return "atomicSub";
    case AtomicOp::max: return "atomicMax";
    case AtomicOp::min: return "atomicMin";
    case AtomicOp::bit_and: return "atomicAnd";
    case AtomicOp::bit_or: return "atomicOr";
    case AtomicOp::bit_xor: return "atomicXor";
    case AtomicOp::exchange: return "atomicExchange";
    case AtomicOp::compare_exchange: return "atomicCompareExchange";
  }
  return "unknown";
}

class Printer {
 public:
  explicit Printer(const Program& program)
      : program_(program), names_(program), exprs_(program, names_) {}

  std::string run() {
    header();
    structs();
    overrides();
    globals();
    for (std::size_t i = 0; i < program_.functions.size(); ++i) {
      function(static_cast<FunctionId>(i));
    }
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_.append(indent_ * 2, ' ');
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  void header() {
    line("program {}", program_.name);
    std::string sizes;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (axis != 0) sizes += ", ";
      const ExprId expr = program_.workgroup_exprs[axis];
      sizes += expr == kNoExpr ? fmt::format("{}", program_.workgroup[axis]) : exprs_.expr(expr);
    }
    line("workgroup {}", sizes);
    if (program_.subgroup_size != kNoExpr) {
      line("subgroup_size {}", exprs_.expr(program_.subgroup_size));
    }
  }

  void structs() {
    for (std::size_t i = 0; i < program_.types.size(); ++i) {
      const auto* s = program_.types.get_if<StructType>(static_cast<TypeId>(i));
      if (s == nullptr) continue;
      const Layout& layout = program_.types.layout(static_cast<TypeId>(i));
      out_ += '\n';
      line("struct {} {{  // size {}, align {}", s->name, layout.size, layout.align);
      ++indent_;
      for (const Member& m : s->members) {
        line("{}: {}  // offset {}, size {}", m.name, exprs_.type(m.type), m.offset, m.size);
      }
      --indent_;
      line("}}");
    }
  }

  void overrides() {
    if (!program_.overrides.empty()) out_ += '\n';
    for (std::size_t i = 0; i < program_.overrides.size(); ++i) {
      const Override& o = program_.overrides[i];
      const std::string id = o.id ? fmt::format("@id({}) ", *o.id) : "";
      const std::string initial = o.initial == kNoExpr ? "" : " = " + exprs_.expr(o.initial);
      line("{}override {}: {}{}", id, names_.overrides[i], exprs_.type(o.type), initial);
    }
  }

  void globals() {
    if (!program_.globals.empty()) out_ += '\n';
    for (std::size_t i = 0; i < program_.globals.size(); ++i) {
      const Global& g = program_.globals[i];
      const std::string type = exprs_.type(g.type);
      const bool buffer = g.memory == MemoryKind::storage || g.memory == MemoryKind::uniform;
      std::string text;
      if (buffer) text = fmt::format("@group({}) @binding({}) ", g.group, g.binding);
      text += to_string(g.memory);
      if (g.memory == MemoryKind::storage) text += fmt::format(" {}", to_string(g.access));
      text += fmt::format(" @{}: {}", names_.globals[i], type);
      if (g.initial != kNoExpr) text += " = " + exprs_.expr(g.initial);
      if (g.alignment != 0) text += fmt::format("  // prefers alignment {}", g.alignment);
      if (g.live_out) text += "  // live out";
      line("{}", text);
    }
  }

  void function(FunctionId id) {
    const Function& f = program_[id];
    std::vector<std::string> locals;
    for (const Local& local : f.locals) locals.push_back(local.name);
    names_.locals = unique_names(locals);
    function_ = &f;
    std::string parameters;
    for (std::uint32_t i = 0; i < f.parameters && i < f.locals.size(); ++i) {
      parameters += fmt::format("{}%{}: {}", i == 0 ? "" : ", ", names_.locals[i],
                                exprs_.type(f.locals[i].type));
    }
    std::string result;
    if (f.result != program_.types.void_type()) result = " -> " + exprs_.type(f.result);
    out_ += '\n';
    line("{}fn {}({}){} {{", id == program_.entry ? "entry " : "", exprs_.function(id), parameters,
         result);
    block(f.body);
    line("}}");
    names_.locals.clear();
  }

  void block(Block b) {
    ++indent_;
    if (std::uint64_t{b.first} + b.count > program_.block_stmts.size()) {
      line("<unknown block {}>", b.first);
    } else if (indent_ > kMaxBlockDepth || !exprs_.spend()) {
      line("...");
    } else {
      for (const StmtId id : program_.block(b)) {
        if (!exprs_.spend()) break;
        if (static_cast<std::size_t>(id) < program_.stmts.size()) {
          stmt(program_[id].node);
        } else {
          line("<unknown statement {}>", static_cast<std::uint32_t>(id));
        }
      }
    }
    --indent_;
  }

  // "let %x: u32 = " for statements with a result that is used.
  std::string result(LocalId id) const {
    if (id == kNoLocal) return "";
    const auto index = static_cast<std::size_t>(id);
    if (index >= function_->locals.size()) return exprs_.local(id) + " = ";
    return fmt::format("let {}: {} = ", exprs_.local(id),
                       exprs_.type(function_->locals[index].type));
  }

  void stmt(const StmtNode& node) {
    std::visit(Overloaded{
                   [&](const LetStmt& s) { line("{}{}", result(s.local), exprs_.expr(s.value)); },
                   [&](const VarStmt& s) { variable(s); },
                   [&](const StoreStmt& s) {
                     line("{} = {}", exprs_.expr(s.pointer), exprs_.expr(s.value));
                   },
                   [&](const IfStmt& s) {
                     line("if {} {{", exprs_.expr(s.condition));
                     block(s.then);
                     if (s.otherwise.count != 0) {
                       line("}} else {{");
                       block(s.otherwise);
                     }
                     line("}}");
                   },
                   [&](const LoopStmt& s) { loop(s); },
                   [&](const SwitchStmt& s) { selection(s); },
                   [&](const BreakStmt&) { line("break"); },
                   [&](const ContinueStmt&) { line("continue"); },
                   [&](const ReturnStmt& s) {
                     if (s.value == kNoExpr) {
                       line("return");
                     } else {
                       line("return {}", exprs_.expr(s.value));
                     }
                   },
                   [&](const BarrierStmt& s) {
                     line("barrier{}{}", s.workgroup_memory ? " workgroup" : "",
                          s.storage_memory ? " storage" : "");
                   },
                   [&](const UniformLoadStmt& s) {
                     line("{}workgroupUniformLoad({})", result(s.result), exprs_.expr(s.pointer));
                   },
                   [&](const AtomicStmt& s) { atomic(s); },
                   [&](const SubgroupStmt& s) {
                     line("{}{}({}{}{})", result(s.result), to_string(s.op),
                          s.value == kNoExpr ? "" : exprs_.expr(s.value),
                          s.lane == kNoExpr ? "" : ", ",
                          s.lane == kNoExpr ? "" : exprs_.expr(s.lane));
                   },
                   [&](const CallStmt& s) {
                     line("{}call {}({})", result(s.result), exprs_.function(s.callee),
                          exprs_.list(s.arguments));
                   },
               },
               node);
  }

  void variable(const VarStmt& s) {
    const auto index = static_cast<std::size_t>(s.local);
    const std::string type =
        index < function_->locals.size() ? exprs_.type(function_->locals[index].type) : "?";
    const std::string initial = s.initial == kNoExpr ? "" : " = " + exprs_.expr(s.initial);
    line("var {}: {}{}", exprs_.local(s.local), type, initial);
  }

  void loop(const LoopStmt& s) {
    line("loop {{");
    block(s.body);
    if (s.continuing.count != 0 || s.break_if != kNoExpr) {
      ++indent_;
      line("continuing {{");
      block(s.continuing);
      if (s.break_if != kNoExpr) {
        ++indent_;
        line("break if {}", exprs_.expr(s.break_if));
        --indent_;
      }
      line("}}");
      --indent_;
    }
    line("}}");
  }

  void selection(const SwitchStmt& s) {
    line("switch {} {{", exprs_.expr(s.selector));
    ++indent_;
    if (std::uint64_t{s.first_case} + s.case_count > program_.switch_cases.size()) {
      line("<unknown cases {}>", s.first_case);
    } else {
      for (const SwitchCase& c : program_.cases(s)) one_case(c, s.selector);
    }
    --indent_;
    line("}}");
  }

  void one_case(const SwitchCase& c, ExprId selector) {
    ScalarKind kind = ScalarKind::u32;
    if (static_cast<std::size_t>(selector) < program_.exprs.size()) {
      const TypeId type = program_[selector].type;
      if (static_cast<std::size_t>(type) < program_.types.size()) {
        kind = program_.types.scalar_kind(type).value_or(kind);
      }
    }
    std::string values;
    for (const std::uint32_t bits : c.values) {
      values += (values.empty() ? "case " : ", ") + exprs_.scalar(kind, bits);
    }
    if (c.is_default) values += values.empty() ? "default" : ", default";
    line("{} {{", values);
    block(c.body);
    line("}}");
  }

  void atomic(const AtomicStmt& s) {
    std::string arguments = exprs_.expr(s.pointer);
    if (s.compare != kNoExpr) arguments += ", " + exprs_.expr(s.compare);
    if (s.value != kNoExpr) arguments += ", " + exprs_.expr(s.value);
    line("{}{}({}) {} {}", result(s.result), atomic_name(s.op), arguments,
         s.scope == Scope::device ? "device" : "workgroup", order_name(s.order));
  }

  const Program& program_;
  PrintNames names_;
  ExprPrinter exprs_;
  const Function* function_ = nullptr;
  std::string out_;
  std::size_t indent_ = 0;
};

}  // namespace

std::string print(const Program& program) { return Printer(program).run(); }

}  // namespace vyre
