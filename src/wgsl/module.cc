#include "vyre/wgsl/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "vyre/ir/validate/uniformity.h"
#include "vyre/ir/validate/validate.h"
#include "vyre/wgsl/extract.h"
#include "vyre/wgsl/features.h"
#include "vyre/wgsl/parser/parser.h"
#include "vyre/wgsl/sema/sema_context.h"
#include "vyre/wgsl/sema/sema_features.h"
#include "vyre/wgsl/sema/sema_module.h"

namespace vyre {
namespace {

// The limit for all programs of a module together; each entry point has its own copy of what it
// reaches.
constexpr std::size_t kMaxExpressions = std::size_t{1} << 25U;

// Two variables of one entry point cannot share a binding.
void check_bindings(const sema::Context& cx, const Program& program,
                    const std::set<std::uint32_t>& handles, Diagnostics& diagnostics) {
  struct Bound {
    std::string_view name;
    Span declared;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Bound> all;
  const auto bind = [&](std::uint32_t group, std::uint32_t binding, Bound bound) {
    const auto [at, fresh] = all.try_emplace({group, binding}, bound);
    if (fresh) return;
    diagnostics
        .error(bound.declared,
               fmt::format("the entry point '{}' uses '{}' and '{}', which are both at @group({}) "
                           "@binding({})",
                           program.name, at->second.name, bound.name, group, binding))
        .note(at->second.declared, "the other one");
  };
  for (const Global& global : program.globals) {
    if (global.memory != MemoryKind::storage && global.memory != MemoryKind::uniform) continue;
    bind(global.group, global.binding, {global.name, cx.span_of(global.pos)});
  }
  for (const std::uint32_t index : handles) {
    const sema::Handle& handle = cx.handles[index];
    bind(handle.group, handle.binding, {handle.name, handle.declared});
  }
}

// An entry point uses one immediate variable at most.
void check_immediates(const sema::Context& cx, const Program& program, Diagnostics& diagnostics) {
  const Global* first = nullptr;
  for (const Global& global : program.globals) {
    if (global.memory != MemoryKind::immediate) continue;
    if (first != nullptr) {
      diagnostics
          .error(cx.span_of(global.pos),
                 fmt::format("the entry point '{}' uses the immediate variables '{}' and '{}'; it "
                             "can use one",
                             program.name, first->name, global.name))
          .note(cx.span_of(first->pos), "the other one");
    }
    first = &global;
  }
}

void report(const sema::Context& cx, const std::vector<ProgramIssue>& issues,
            Diagnostics& diagnostics) {
  for (const ProgramIssue& issue : issues) {
    const Span span = cx.span_of(issue.pos);
    Diagnostic& shown =
        issue.warning ? diagnostics.warning(span, issue.what) : diagnostics.error(span, issue.what);
    for (const ProgramNote& note : issue.notes) shown.note(cx.span_of(note.pos), note.what);
  }
}

NotRun not_run(const sema::EntryPoint& entry, const sema::FunctionInfo& info,
               const std::string& name) {
  const std::string_view verb = entry.stage == sema::kCompute ? "uses" : "is";
  return {name, fmt::format("'{}' {} {}, which vyre checks and does not run (docs/wgsl.md)", name,
                            verb, info.not_run)};
}

void keep_functions(sema::Context& cx, Module& module) {
  for (const sema::FunctionInfo& info : cx.functions) {
    module.functions.push_back({.name = cx.program[info.id].name,
                                .id = info.id,
                                .entry = info.entry,
                                .not_run = info.not_run});
  }
  module.library = std::make_shared<const Program>(std::move(cx.program));
}

// Fills in `features` unless it is null.
std::optional<Module> analyse(const Source& source, ParseOptions options, Diagnostics& diagnostics,
                              ModuleFeatures* features) {
  const ast::Module tree = parse(source, diagnostics, options.lenient);
  if (diagnostics.has_errors()) return std::nullopt;
  sema::Context cx(source, tree, diagnostics);
  cx.lenient = options.lenient;
  if (options.lenient) cx.filters.subgroup = sema::Control::warning;
  sema::check_module(cx);
  if (diagnostics.has_errors()) return std::nullopt;

  // Counts all functions, including those that no entry point reaches.
  report(cx, check_uniformity(cx.program, cx.outside_facts), diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;

  std::ranges::sort(cx.entries, {}, [&](const sema::EntryPoint& entry) {
    return cx.functions[entry.function].declared.begin;
  });
  Module module;
  if (features != nullptr) {
    if (needs_subgroup_scope(cx.program, cx.outside_facts)) {
      sema::note_feature(cx, "subgroup_uniformity");
    }
    *features = sema::module_features(cx);
  }
  for (const Override& o : cx.program.overrides) module.overrides.push_back({o.name, o.id});
  std::size_t expressions = 0;
  for (const sema::EntryPoint& entry : cx.entries) {
    const sema::FunctionInfo& info = cx.functions[entry.function];
    Program program = extract(cx, entry);
    expressions += program.exprs.size();
    if (expressions > kMaxExpressions) {
      diagnostics.error(info.declared, "the entry points of this module are too large together");
      return std::nullopt;
    }
    check_bindings(cx, program, info.handles, diagnostics);
    check_immediates(cx, program, diagnostics);
    if (features != nullptr) features->entries.push_back(sema::entry_features(cx, entry, program));
    if (!info.not_run.empty()) {
      module.not_run.push_back(not_run(entry, info, program.name));
      continue;
    }
    report(cx, validate(program), diagnostics);
    module.programs.push_back(std::move(program));
  }
  if (diagnostics.has_errors()) return std::nullopt;
  if (options.functions) keep_functions(cx, module);
  return module;
}

}  // namespace

bool ModuleOverride::is_called(std::string_view name_or_id) const {
  return name_or_id == name || (id && name_or_id == std::to_string(*id));
}

const Program* Module::find(std::string_view entry) const {
  const auto at = std::ranges::find(programs, entry, &Program::name);
  return at == programs.end() ? nullptr : &*at;
}

std::string_view Module::why_not_run(std::string_view entry) const {
  const auto at = std::ranges::find(not_run, entry, &NotRun::entry);
  return at == not_run.end() ? std::string_view() : at->why;
}

const ModuleFunction* Module::find_function(std::string_view name) const {
  const auto at = std::ranges::find(functions, name, &ModuleFunction::name);
  return at == functions.end() ? nullptr : &*at;
}

Result<Kernel> ParsedModule::kernel(std::string_view entry,
                                    std::span<const OverrideValue> overrides) const {
  if (!module) return fail(Code::invalid_input, message());
  if (const std::string_view why = module->why_not_run(entry); !why.empty()) {
    return fail(Code::invalid_input, std::string(why));
  }
  std::vector<std::string_view> names;
  for (const Program& program : module->programs) names.emplace_back(program.name);
  if (names.empty()) return fail(Code::invalid_input, "the module has no @compute entry point");
  if (entry.empty() && names.size() == 1) entry = names.front();
  if (const Program* program = module->find(entry)) return make_kernel(*program, overrides);
  return fail(Code::invalid_input,
              entry.empty() ? fmt::format("the module has {} entry points", names.size())
                            : fmt::format("the module has no entry point '{}'", entry),
              fmt::format("name {}: {}", names.size() == 1 ? "the only one" : "one of them",
                          fmt::join(names, ", ")));
}

std::string ParsedModule::message() const { return render(*source, diagnostics); }

ParsedModule parse_wgsl(std::string text, std::string file_name, ParseOptions options) {
  ParsedModule parsed;
  parsed.source = std::make_shared<const Source>(std::move(file_name), std::move(text));
  parsed.module = analyse(*parsed.source, options, parsed.diagnostics, nullptr);
  return parsed;
}

std::optional<ModuleFeatures> wgsl_features(const Source& source, ParseOptions options) {
  ModuleFeatures features;
  Diagnostics diagnostics;
  if (!analyse(source, options, diagnostics, &features)) return std::nullopt;
  return features;
}

}  // namespace vyre
