#include "vyre/wgsl/sema/sema_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "vyre/base/overloaded.h"

namespace vyre::sema {
namespace {

using DeclarationMap = std::unordered_map<std::string_view, std::uint32_t>;

// A place that names another declaration.
struct Use {
  std::uint32_t declaration;
  Span span;
};

// Collects the module-scope names that a declaration uses, except for those that local names hide.
class Collector {
 public:
  Collector(const DeclarationMap& declarations, std::vector<Use>& uses)
      : declarations_(declarations), uses_(uses) {}

  void declaration(const ast::Declaration& d) {
    std::visit(Overloaded{
                   [&](const ast::Variable& v) { variable(v); },
                   [&](const ast::Alias& a) { expr(*a.type); },
                   [&](const ast::Struct& s) {
                     for (const ast::StructMember& m : s.members) {
                       attributes(m.attributes);
                       expr(*m.type);
                     }
                   },
                   [&](const ast::Function& f) { function(f); },
                   [&](const ast::ConstAssert& a) { expr(*a.condition); },
               },
               d.node);
  }

 private:
  void attributes(ast::AttributeList list) {
    for (const ast::Attribute& a : list) {
      // Their arguments are not names of declarations.
      if (a.kind == ast::AttributeKind::builtin || a.kind == ast::AttributeKind::interpolate) {
        continue;
      }
      for (const ast::Expr* e : a.arguments) expr(*e);
    }
  }

  void variable(const ast::Variable& v) {
    attributes(v.attributes);
    if (v.type != nullptr) expr(*v.type);
    if (v.initializer != nullptr) expr(*v.initializer);
  }

  void function(const ast::Function& f) {
    attributes(f.attributes);
    for (const ast::Parameter& p : f.parameters) {
      attributes(p.attributes);
      expr(*p.type);
    }
    attributes(f.return_attributes);
    if (f.return_type != nullptr) expr(*f.return_type);
    open();
    for (const ast::Parameter& p : f.parameters) declare(p.name.text);
    for (const ast::Statement* s : f.body->statements) statement(*s);
    close();
  }

  void open() { scopes_.emplace_back(); }
  void close() {
    for (const std::string_view name : scopes_.back()) --locals_[name];
    scopes_.pop_back();
  }
  void declare(std::string_view name) {
    ++locals_[name];
    scopes_.back().push_back(name);
  }

  void use(const ast::Name& name) {
    const auto local = locals_.find(name.text);
    if (local != locals_.end() && local->second != 0) return;
    const auto found = declarations_.find(name.text);
    if (found != declarations_.end()) uses_.push_back({found->second, name.span});
  }

  void identifier(const ast::Identifier& id) {
    use(id.name);
    for (const ast::Expr* e : id.template_args) expr(*e);
  }

  void expr(const ast::Expr& e) {
    std::visit(Overloaded{
                   [](const ast::Literal&) {},
                   [&](const ast::Identifier& id) { identifier(id); },
                   [&](const ast::Call& c) {
                     identifier(c.callee);
                     for (const ast::Expr* a : c.arguments) expr(*a);
                   },
                   [&](const ast::Index& i) {
                     expr(*i.object);
                     expr(*i.index);
                   },
                   [&](const ast::Member& m) { expr(*m.object); },
                   [&](const ast::Unary& u) { expr(*u.operand); },
                   [&](const ast::Binary& b) {
                     expr(*b.left);
                     expr(*b.right);
                   },
               },
               e.node);
  }
  void maybe(const ast::Expr* e) {
    if (e != nullptr) expr(*e);
  }

  void block(const ast::Block& b) {
    open();
    for (const ast::Statement* s : b.statements) statement(*s);
    close();
  }

  void loop(const ast::Loop& l) {
    open();
    for (const ast::Statement* s : l.body->statements) statement(*s);
    open();
    if (l.continuing != nullptr) {
      for (const ast::Statement* s : l.continuing->statements) statement(*s);
    }
    maybe(l.break_if);
    close();
    close();
  }

  void for_loop(const ast::For& f) {
    open();
    if (f.init != nullptr) statement(*f.init);
    maybe(f.condition);
    if (f.update != nullptr) statement(*f.update);
    block(*f.body);
    close();
  }

  void statement(const ast::Statement& s) {
    std::visit(Overloaded{
                   [&](const ast::Block& b) { block(b); },
                   [&](const ast::Variable& v) {
                     variable(v);
                     declare(v.name.text);
                   },
                   [&](const ast::Assign& a) {
                     maybe(a.left);
                     expr(*a.right);
                   },
                   [&](const ast::Increment& i) { expr(*i.left); },
                   [&](const ast::CallStatement& c) { expr(*c.call); },
                   [&](const ast::If& i) {
                     for (const ast::IfArm& arm : i.arms) {
                       expr(*arm.condition);
                       block(*arm.body);
                     }
                     if (i.else_body != nullptr) block(*i.else_body);
                   },
                   [&](const ast::Switch& w) {
                     expr(*w.selector);
                     for (const ast::SwitchClause& clause : w.clauses) {
                       for (const ast::Expr* selector : clause.selectors) maybe(selector);
                       block(*clause.body);
                     }
                   },
                   [&](const ast::Loop& l) { loop(l); },
                   [&](const ast::For& f) { for_loop(f); },
                   [&](const ast::While& w) {
                     expr(*w.condition);
                     block(*w.body);
                   },
                   [&](const ast::Return& r) { maybe(r.value); },
                   [&](const ast::ConstAssert& a) { expr(*a.condition); },
                   [](const auto&) {},
               },
               s.node);
  }

  const DeclarationMap& declarations_;
  std::vector<Use>& uses_;
  std::unordered_map<std::string_view, std::uint32_t> locals_;
  std::vector<std::vector<std::string_view>> scopes_;
};

struct Frame {
  std::uint32_t declaration;
  std::size_t next_use = 0;
};

// The cycle at the end of the path, from `start` on: "'a' uses 'b', 'b' uses 'a'".
void report_cycle(const ast::Module& module, const std::vector<Frame>& path, std::uint32_t start,
                  Span use, Diagnostics& diagnostics) {
  const auto first = std::ranges::find(path, start, &Frame::declaration);
  std::string text;
  constexpr std::size_t kMost = 8;
  std::size_t shown = 0;
  for (auto at = first; at != path.end() && shown < kMost; ++at, ++shown) {
    const ast::Name* name = declared_name(*module.declarations[at->declaration]);
    text += fmt::format("'{}' uses ", name->text);
  }
  const ast::Name* name = declared_name(*module.declarations[start]);
  text += shown == kMost ? std::string("...") : fmt::format("'{}'", name->text);
  const bool recursion = std::ranges::all_of(first, path.end(), [&](const Frame& f) {
    return module.declarations[f.declaration]->get_if<ast::Function>() != nullptr;
  });
  diagnostics.error(use, recursion ? fmt::format("recursion is not possible: {}", text)
                                   : fmt::format("declarations depend on themselves: {}", text));
}

}  // namespace

const ast::Name* declared_name(const ast::Declaration& declaration) {
  return std::visit(Overloaded{
                        [](const ast::ConstAssert&) -> const ast::Name* { return nullptr; },
                        [](const auto& d) -> const ast::Name* { return &d.name; },
                    },
                    declaration.node);
}

std::vector<std::uint32_t> dependency_order(const ast::Module& module, Diagnostics& diagnostics) {
  const auto count = static_cast<std::uint32_t>(module.declarations.size());
  DeclarationMap names;
  for (std::uint32_t i = 0; i < count; ++i) {
    const ast::Name* name = declared_name(*module.declarations[i]);
    if (name == nullptr) continue;
    const auto [at, fresh] = names.try_emplace(name->text, i);
    if (fresh) continue;
    diagnostics.error(name->span, fmt::format("'{}' is declared twice", name->text))
        .note(declared_name(*module.declarations[at->second])->span, "first declared here");
  }
  std::vector<std::vector<Use>> uses(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    Collector(names, uses[i]).declaration(*module.declarations[i]);
  }

  enum class State : std::uint8_t { fresh, open, done };
  std::vector<State> states(count, State::fresh);
  std::vector<std::uint32_t> order;
  order.reserve(count);
  std::vector<Frame> path;
  for (std::uint32_t root = 0; root < count; ++root) {
    if (states[root] != State::fresh) continue;
    path.push_back({root});
    states[root] = State::open;
    while (!path.empty()) {
      Frame& top = path.back();
      if (top.next_use == uses[top.declaration].size()) {
        states[top.declaration] = State::done;
        order.push_back(top.declaration);
        path.pop_back();
        continue;
      }
      const Use use = uses[top.declaration][top.next_use++];
      if (states[use.declaration] == State::open) {
        if (!diagnostics.full()) {
          report_cycle(module, path, use.declaration, use.span, diagnostics);
        }
      } else if (states[use.declaration] == State::fresh) {
        states[use.declaration] = State::open;
        path.push_back({use.declaration});
      }
    }
  }
  return order;
}

}  // namespace vyre::sema
