#include "vyre/frontier/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "vyre/frontier/legality.h"
#include "vyre/ir/copy_program.h"
#include "vyre/ir/fold_constants.h"
#include "vyre/ir/validate/validate.h"
#include "vyre/ir/views/expand_views.h"
#include "vyre/ir/walk.h"
#include "vyre/ir/writer.h"

namespace vyre {
namespace {

std::unexpected<Error> wrong(const Program& program, SourcePos pos, const std::string& what,
                             std::string fix = {}) {
  return fail(Code::invalid_input, locate(program, pos, what), std::move(fix));
}

// One of the eight functions: its name in the module, the member that gets its id, and its
// signature as text.
struct Role {
  std::string_view name;
  std::optional<FunctionId>* id;
  std::string_view signature;  // without "fn" and the name
};

std::string signature_of(const Program& program, const Function& f) {
  std::string out = "(";
  for (std::uint32_t i = 0; i < f.parameters; ++i) {
    if (i != 0) out += ", ";
    out += program.types.spell(f.locals[i].type);
  }
  out += ")";
  if (f.result != program.types.void_type()) out += " -> " + program.types.spell(f.result);
  return out;
}

// Whether the function has these parameters, all of type u32, and this result.
bool is_of_u32(const Program& program, const Function& f, std::uint32_t parameters, bool truth) {
  if (f.parameters != parameters) return false;
  for (std::uint32_t i = 0; i < parameters; ++i) {
    if (program.types.scalar_kind(f.locals[i].type) != ScalarKind::u32) return false;
    if (program.types.get_if<ScalarType>(f.locals[i].type) == nullptr) return false;
  }
  if (!truth) return f.result == program.types.void_type();
  const auto* result = program.types.get_if<ScalarType>(f.result);
  return result != nullptr && result->kind == ScalarKind::boolean;
}

bool is_sum(const Program& program, TypeId type) {
  const auto* scalar = program.types.get_if<ScalarType>(type);
  return scalar != nullptr && (scalar->kind == ScalarKind::f32 || scalar->kind == ScalarKind::u32 ||
                               scalar->kind == ScalarKind::i32);
}

bool is_u32(const Program& program, TypeId type) {
  const auto* scalar = program.types.get_if<ScalarType>(type);
  return scalar != nullptr && scalar->kind == ScalarKind::u32;
}

// gather(target, source, edge, sum) or gather(target, source, edge, round, sum), and the type of
// its sum.
bool take_gather(FrontierFunctions& out) {
  const Program& p = out.library;
  const Function& f = p[*out.gather];
  if ((f.parameters != 4 && f.parameters != 5) || !is_sum(p, f.result)) return false;
  for (std::uint32_t i = 0; i + 1 < f.parameters; ++i) {
    if (!is_u32(p, f.locals[i].type)) return false;
  }
  if (f.locals[f.parameters - 1].type != f.result) return false;
  out.sum = f.result;
  out.gather_round = f.parameters == 5;
  return true;
}

bool fits_apply(const FrontierFunctions& out) {
  const Program& p = out.library;
  const Function& f = p[*out.apply];
  const auto* result = p.types.get_if<ScalarType>(f.result);
  return f.parameters == 3 && is_u32(p, f.locals[0].type) && is_u32(p, f.locals[2].type) &&
         result != nullptr && result->kind == ScalarKind::boolean && is_sum(p, f.locals[1].type) &&
         (!out.gather || f.locals[1].type == out.sum);
}

Result<void> check_signatures(FrontierFunctions& out, std::span<const Role> roles) {
  const Program& p = out.library;
  for (const Role& role : roles) {
    if (!*role.id) continue;
    const Function& f = p[**role.id];
    bool fits = false;
    if (role.id == &out.gather) {
      fits = take_gather(out);
    } else if (role.id == &out.apply) {
      fits = fits_apply(out);
    } else if (role.id == &out.visit) {
      fits = is_of_u32(p, f, 4, true);
    } else if (role.id == &out.after || role.id == &out.waits) {
      fits = is_of_u32(p, f, 2, true);
    } else {
      fits = is_of_u32(p, f, 1, role.id == &out.wants);
    }
    if (fits) continue;
    return wrong(p, f.pos,
                 fmt::format("'{}' is {}, which is not what a graph program calls", f.name,
                             signature_of(p, f)),
                 fmt::format("write it as fn {}{}", f.name, role.signature));
  }
  return {};
}

Result<void> check_set(const FrontierFunctions& f, const FrontierNames& names) {
  const bool sums = f.gather || f.apply;
  if (!f.visit && !sums) {
    return fail(Code::invalid_input,
                fmt::format("the module has neither a function '{}' nor '{}' and '{}'", names.visit,
                            names.gather, names.apply),
                "a graph program has one of the two; docs/graphs.md shows both");
  }
  if (f.gather.has_value() != f.apply.has_value()) {
    return fail(
        Code::invalid_input,
        fmt::format("the module has '{}' and no '{}'", f.gather ? names.gather : names.apply,
                    f.gather ? names.apply : names.gather),
        "a program that gathers has both");
  }
  if (sums && (f.visit || f.wants || f.waits || f.after)) {
    const std::string& other = f.visit   ? names.visit
                               : f.wants ? names.wants
                               : f.waits ? names.waits
                                         : names.after;
    return fail(Code::invalid_input,
                fmt::format("the module has '{}' and '{}', which are of different kinds of graph "
                            "programs",
                            names.gather, other),
                fmt::format("give one of them another name, or make two modules"));
  }
  return {};
}

// A function without parameters that does nothing, so that the library is a whole program.
void add_entry(Program& program) {
  Writer writer(program);
  writer.open();
  Function entry;
  entry.name = "nothing";
  entry.result = program.types.void_type();
  entry.body = writer.close();
  program.functions.push_back(std::move(entry));
  program.entry = static_cast<FunctionId>(program.functions.size() - 1);
}

bool reads_parameter(const Program& program, FunctionId id, std::uint32_t parameter) {
  bool found = false;
  const auto look = [&](ExprId root) {
    for_each_subexpr(program, root, [&](ExprId e) {
      const auto* local = std::get_if<LocalExpr>(&program[e].node);
      found = found || (local != nullptr && static_cast<std::uint32_t>(local->id) == parameter);
    });
  };
  for_each_stmt(program, program[id].body,
                [&](StmtId s) { for_each_expr(program, program[s].node, look); });
  return found;
}

std::uint32_t free_group(const Program& program) {
  std::uint32_t group = 0;
  for (const Global& g : program.globals) {
    if (g.memory == MemoryKind::storage || g.memory == MemoryKind::uniform) {
      group = std::max(group, g.group + 1);
    }
  }
  return group;
}

}  // namespace

std::vector<FunctionId> FrontierFunctions::all() const {
  std::vector<FunctionId> out;
  for (const auto& id : {init, start, visit, wants, waits, after, gather, apply}) {
    if (id) out.push_back(*id);
  }
  return out;
}

Result<FrontierFunctions> find_functions(const Program& from,
                                         std::span<const NamedFunction> functions,
                                         const FrontierNames& names,
                                         std::span<const OverrideValue> overrides) {
  FrontierFunctions out;
  const std::array roles{
      Role{names.init, &out.init, "(vertex: u32)"},
      Role{names.start, &out.start, "(vertex: u32)"},
      Role{names.visit, &out.visit, "(source: u32, edge: u32, vertex: u32, round: u32) -> bool"},
      Role{names.wants, &out.wants, "(vertex: u32) -> bool"},
      Role{names.waits, &out.waits, "(vertex: u32, round: u32) -> bool"},
      Role{names.after, &out.after, "(vertex: u32, round: u32) -> bool"},
      Role{names.gather, &out.gather,
           "(vertex: u32, source: u32, edge: u32, sum: f32) -> f32, with f32, i32 or u32"},
      Role{names.apply, &out.apply,
           "(vertex: u32, sum: f32, round: u32) -> bool, with gather's type of sum"}};
  Program library;
  library.name = "graph program";
  library.source_name = from.source_name;
  {
    ProgramCopy copy(from, library);
    for (const Role& role : roles) {
      const auto found = std::ranges::find(functions, role.name, &NamedFunction::name);
      if (found != functions.end()) *role.id = copy.function(found->id);
    }
  }
  VYRE_CHECK(check_set(out, names));
  add_entry(library);
  if (const auto issues = validate(library); !issues.empty()) {
    return wrong(library, issues.front().pos, issues.front().what);
  }
  if (has_buffers(library)) {
    return wrong(library, {}, "a graph program cannot use buffers and their views");
  }
  VYRE_TRY(out.library, specialise(std::move(library), overrides));
  VYRE_CHECK(check_signatures(out, roles));
  VYRE_CHECK(check_legality(out));
  VYRE_TRY(out.visit_checks, visit_loads_what_wants_loads(out));
  out.group = free_group(out.library);
  if (out.visit) out.visit_edge = reads_parameter(out.library, *out.visit, 1);
  if (out.gather) out.visit_edge = reads_parameter(out.library, *out.gather, 2);
  return out;
}

}  // namespace vyre
