#include "vyre/wgsl/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "vyre/ir/uniformity.h"
#include "vyre/ir/validate.h"
#include "vyre/wgsl/extract.h"
#include "vyre/wgsl/parser.h"
#include "vyre/wgsl/sema_context.h"
#include "vyre/wgsl/sema_module.h"

namespace vyre {
namespace {

// Of all programs of a module together: each entry point has its own copy of what it reaches.
constexpr std::size_t kMaxExpressions = std::size_t{1} << 25U;

// Two variables of one entry point cannot share a binding.
void check_bindings(const sema::Context& cx, const Program& program, Diagnostics& diagnostics) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, const Global*> bound;
  for (const Global& global : program.globals) {
    if (global.memory != MemoryKind::storage && global.memory != MemoryKind::uniform) continue;
    const auto [at, fresh] = bound.try_emplace({global.group, global.binding}, &global);
    if (fresh) continue;
    diagnostics
        .error(
            cx.span_of(global.pos),
            fmt::format("the entry point '{}' uses '{}' and '{}', which are both at @group({}) "
                        "@binding({})",
                        program.name, at->second->name, global.name, global.group, global.binding))
        .note(cx.span_of(at->second->pos), "the other one");
  }
}

void report(const sema::Context& cx, const std::vector<ProgramIssue>& issues,
            Diagnostics& diagnostics) {
  for (const ProgramIssue& issue : issues) {
    Diagnostic& error = diagnostics.error(cx.span_of(issue.pos), issue.what);
    for (const ProgramNote& note : issue.notes) error.note(cx.span_of(note.pos), note.what);
  }
}

std::optional<Module> analyse(const Source& source, Diagnostics& diagnostics) {
  const ast::Module tree = parse(source, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  sema::Context cx(source, tree, diagnostics);
  sema::check_module(cx);
  if (diagnostics.has_errors()) return std::nullopt;

  // Functions count here whether or not an entry point reaches them.
  report(cx, check_uniformity(cx.program), diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;

  std::ranges::sort(cx.entries, {}, [&](const sema::EntryPoint& entry) {
    return cx.functions[entry.function].declared.begin;
  });
  Module module;
  for (const Override& o : cx.program.overrides) module.overrides.push_back({o.name, o.id});
  std::size_t expressions = 0;
  for (const sema::EntryPoint& entry : cx.entries) {
    module.programs.push_back(extract(cx, entry));
    const Program& program = module.programs.back();
    expressions += program.exprs.size();
    if (expressions > kMaxExpressions) {
      diagnostics.error(cx.functions[entry.function].declared,
                        "the entry points of this module are too large together");
      return std::nullopt;
    }
    check_bindings(cx, program, diagnostics);
    report(cx, validate(program), diagnostics);
  }
  if (diagnostics.has_errors()) return std::nullopt;
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

std::string ParsedModule::message() const { return render(*source, diagnostics); }

ParsedModule parse_wgsl(std::string text, std::string file_name) {
  ParsedModule parsed;
  parsed.source = std::make_shared<const Source>(std::move(file_name), std::move(text));
  parsed.module = analyse(*parsed.source, parsed.diagnostics);
  return parsed;
}

}  // namespace vyre
