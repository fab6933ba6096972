#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "vyre/ir/validate/validate_internal.h"
#include "vyre/ir/walk.h"

namespace vyre {
namespace {

class Declarations {
 public:
  Declarations(const Program& program, const TypeRules& rules, Issues& issues)
      : program_(program), types_(program.types), rules_(rules), issues_(issues) {}

  void run() {
    workgroup();
    overrides();
    globals();
    array_sizes();
  }

 private:
  template <class... Args>
  void report(SourcePos pos, fmt::format_string<Args...> format, Args&&... args) {
    issues_.push_back({fmt::format(format, std::forward<Args>(args)...), pos});
  }

  bool constant_expr(ExprId id) { return check_expr_tree(program_, rules_, nullptr, id, issues_); }

  void size_expr(ExprId id, const std::string& what) {
    if (!constant_expr(id)) return;
    const TypeId type = program_[id].type;
    const auto kind = types_.scalar_kind(type);
    if (types_.get_if<ScalarType>(type) == nullptr || !is_integer(*kind)) {
      report(program_[id].pos, "{} is {}, not i32 or u32", what, types_.spell(type));
    }
  }

  void workgroup() {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::string what = fmt::format("workgroup size {}", "xyz"[axis]);
      const ExprId expr = program_.workgroup_exprs[axis];
      if (expr != kNoExpr) {
        size_expr(expr, what);
      } else if (program_.workgroup[axis] == 0) {
        report({}, "{} is 0; it must be at least 1", what);
      }
    }
    if (program_.subgroup_size != kNoExpr) size_expr(program_.subgroup_size, "the subgroup size");
  }

  void overrides() {
    std::set<std::string> names;
    std::set<std::uint16_t> ids;
    for (const Override& o : program_.overrides) {
      if (!names.insert(o.name).second) report(o.pos, "two overrides are named '{}'", o.name);
      if (o.id && !ids.insert(*o.id).second) report(o.pos, "two overrides have the id {}", *o.id);
      if (types_.get_if<ScalarType>(o.type) == nullptr || !rules_.issue(o.type).empty()) {
        report(o.pos, "override '{}' is {}, not a scalar", o.name, types_.spell(o.type));
      }
      if (o.initial == kNoExpr || !constant_expr(o.initial)) continue;
      if (program_[o.initial].type != o.type) {
        report(program_[o.initial].pos, "override '{}' is {}, its initial value {}", o.name,
               types_.spell(o.type), types_.spell(program_[o.initial].type));
      }
    }
    override_cycles();
  }

  // Follows initial values; the depth is bounded by the number of overrides times that of
  // expressions, so the way is kept in a vector.
  void override_cycles() {
    enum : std::uint8_t { fresh, open, done };
    std::vector<std::uint8_t> state(program_.overrides.size(), fresh);
    std::vector<std::vector<std::size_t>> uses(program_.overrides.size());
    for (std::size_t i = 0; i < uses.size(); ++i) {
      const ExprId initial = program_.overrides[i].initial;
      if (initial == kNoExpr) continue;
      for_each_subexpr(program_, initial, [&](ExprId id) {
        const auto* e = std::get_if<OverrideExpr>(&program_[id].node);
        if (e != nullptr) uses[i].push_back(static_cast<std::size_t>(e->id));
      });
    }
    std::vector<std::pair<std::size_t, std::size_t>> way;  // an override and its next use
    for (std::size_t root = 0; root < uses.size(); ++root) {
      if (state[root] == fresh) way.emplace_back(root, 0);
      while (!way.empty()) {
        auto& [at, next] = way.back();
        state[at] = open;
        if (next == uses[at].size()) {
          state[at] = done;
          way.pop_back();
          continue;
        }
        const std::size_t used = uses[at][next++];
        if (state[used] == open) {
          const Override& o = program_.overrides[used];
          report(o.pos, "the initial value of override '{}' depends on itself", o.name);
        } else if (state[used] == fresh) {
          way.emplace_back(used, 0);
        }
      }
    }
  }

  void globals() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, const Global*> bound;
    for (const Global& g : program_.globals) {
      if (const std::string& issue = rules_.issue(g.type); !issue.empty()) {
        report(g.pos, "'{}': {}", g.name, issue);
        continue;
      }
      memory(g);
      if (g.initial != kNoExpr) initial(g);
      if (g.memory != MemoryKind::storage && g.memory != MemoryKind::uniform) continue;
      const auto [found, fresh] = bound.try_emplace({g.group, g.binding}, &g);
      if (!fresh) {
        report(g.pos, "'{}' and '{}' have the same group {} and binding {}", found->second->name,
               g.name, g.group, g.binding);
      }
    }
  }

  void memory(const Global& g) {
    const auto* array = types_.get_if<ArrayType>(g.type);
    const auto* buffer = types_.get_if<BufferType>(g.type);
    const bool by_override = (array != nullptr && array->count_expr != kNoExpr) ||
                             (buffer != nullptr && buffer->bytes_expr != kNoExpr);
    const bool fixed = !types_.contains_runtime_array(g.type) && !by_override;
    bool type = false;
    bool access = g.access == Access::read_write;
    switch (g.memory) {
      case MemoryKind::storage:
        type = types_.is_host_shareable(g.type);
        access = access || g.access == Access::read;
        if (g.access == Access::read && types_.contains_atomic(g.type)) {
          report(g.pos, "'{}' holds atomics, so it must be read_write", g.name);
        }
        break;
      case MemoryKind::uniform:
        type = types_.is_host_shareable(g.type) &&
               (types_.is_constructible(g.type) || (buffer != nullptr && fixed));
        access = g.access == Access::read;
        break;
      case MemoryKind::workgroup:
        type = (fixed || by_override) && types_.get_if<VoidType>(g.type) == nullptr &&
               types_.get_if<PointerType>(g.type) == nullptr;
        break;
      case MemoryKind::private_: type = types_.is_constructible(g.type); break;
      case MemoryKind::immediate:
      case MemoryKind::function:
        report(g.pos, "'{}' is a global in {} memory", g.name, to_string(g.memory));
        return;
    }
    if (!type) {
      report(g.pos, "'{}' in {} memory cannot be {}", g.name, to_string(g.memory),
             types_.spell(g.type));
    }
    if (!access) {
      report(g.pos, "'{}' in {} memory cannot have the access {}", g.name, to_string(g.memory),
             to_string(g.access));
    }
  }

  void initial(const Global& g) {
    if (g.memory != MemoryKind::private_) {
      report(g.pos, "'{}' in {} memory has an initial value", g.name, to_string(g.memory));
    }
    if (constant_expr(g.initial) && program_[g.initial].type != g.type) {
      report(program_[g.initial].pos, "'{}' is {}, its initial value {}", g.name,
             types_.spell(g.type), types_.spell(program_[g.initial].type));
    }
  }

  void array_sizes() {
    for (std::size_t i = 0; i < types_.size(); ++i) {
      const auto* array = types_.get_if<ArrayType>(static_cast<TypeId>(i));
      if (array != nullptr && array->count_expr != kNoExpr) {
        size_expr(array->count_expr, "the size of an array");
      }
      const auto* buffer = types_.get_if<BufferType>(static_cast<TypeId>(i));
      if (buffer != nullptr && buffer->bytes_expr != kNoExpr) {
        size_expr(buffer->bytes_expr, "the size of a buffer");
      }
    }
  }

  const Program& program_;
  const TypeTable& types_;
  const TypeRules& rules_;
  Issues& issues_;
};

}  // namespace

void check_declarations(const Program& program, const TypeRules& rules, Issues& issues) {
  Declarations(program, rules, issues).run();
}

}  // namespace vyre
