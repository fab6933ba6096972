#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vyre/frontier/code_internal.h"
#include "vyre/frontier/legality.h"
#include "vyre/ir/buffer_layout.h"
#include "vyre/ir/fold_constants.h"
#include "vyre/ir/slots.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

std::vector<std::string_view> all_names(const FrontierNames& n) {
  return {n.init, n.start, n.visit, n.wants, n.waits, n.after, n.gather, n.apply};
}

FrontierFill fill_of(const Global& g, const BufferLayout& layout) {
  if (!layout.runtime_sized) return FrontierFill::zeros;
  if (layout.is_array && g.access == Access::read) {
    if (g.name == "weights") return FrontierFill::weights;
    if (g.name == "offsets") return FrontierFill::offsets;
    if (g.name == "columns") return FrontierFill::columns;
  }
  return FrontierFill::vertices;
}

// Weights, offsets and columns are numbers of the type u32 in the graph.
Result<void> check_fill(const Program& p, const Global& g, const BufferLayout& layout,
                        FrontierFill fill) {
  if (fill != FrontierFill::weights && fill != FrontierFill::offsets &&
      fill != FrontierFill::columns) {
    return {};
  }
  const auto* element = p.types.get_if<ScalarType>(layout.element);
  if (element != nullptr && element->kind == ScalarKind::u32) return {};
  return fail(Code::invalid_input,
              locate(p, g.pos,
                     fmt::format("'{}' is {}, and the graph's {} are u32", g.name,
                                 p.types.spell(g.type), g.name)),
              fmt::format("declare it as array<u32>, or give it another name and bind a buffer"));
}

}  // namespace

Result<std::shared_ptr<FrontierCode>> FrontierCode::make(FrontierFunctions functions) {
  auto code = std::make_shared<FrontierCode>(std::move(functions));
  const Program& p = code->functions.library;
  for (const Global& g : p.globals) {
    if (g.memory != MemoryKind::storage && g.memory != MemoryKind::uniform) continue;
    const BufferLayout layout = buffer_layout(p.types, g.type);
    const FrontierFill fill = fill_of(g, layout);
    VYRE_CHECK(check_fill(p, g, layout, fill));
    const bool writable = is_written(g);
    code->variables.push_back({.name = g.name,
                               .group = g.group,
                               .binding = g.binding,
                               .type = g.type,
                               .writable = writable,
                               .fill = fill,
                               .element_bytes = layout.runtime_sized ? layout.stride : 0,
                               .least_bytes = layout.least_bytes()});
  }
  VYRE_TRY(code->folds_after, after_may_follow_pull(code->functions));
  return code;
}

Result<Kernel> FrontierCode::kernel(FrontierKernel which, std::uint32_t lanes) {
  const std::scoped_lock lock(mutex_);
  const auto found = kernels_.find({which, lanes});
  if (found != kernels_.end()) return found->second;
  VYRE_TRY(Kernel made, make_frontier_kernel(functions, which, lanes));
  kernels_.emplace(std::pair{which, lanes}, made);
  return made;
}

FrontierCode& transpose_code() {
  static FrontierCode code{FrontierFunctions{}};
  return code;
}

Result<FrontierProgram> FrontierProgram::from_wgsl(std::string text, std::string file_name,
                                                   const FrontierNames& names,
                                                   std::span<const OverrideValue> overrides) {
  const ParsedModule parsed =
      parse_wgsl(std::move(text), std::move(file_name), {.functions = true});
  if (!parsed.module) return fail(Code::invalid_input, parsed.message());
  const Module& module = *parsed.module;
  std::vector<NamedFunction> functions;
  for (const std::string_view name : all_names(names)) {
    const ModuleFunction* f = module.find_function(name);
    if (f == nullptr) continue;
    const std::string why = f->entry ? "is an entry point"
                            : !f->not_run.empty()
                                ? "uses " + f->not_run + ", which vyre does not run"
                                : "";
    if (!why.empty()) {
      return fail(
          Code::invalid_input,
          locate(*module.library, (*module.library)[f->id].pos, fmt::format("'{}' {}", name, why)),
          "a graph program is made of plain functions");
    }
    functions.push_back({f->name, f->id});
  }
  VYRE_TRY(FrontierFunctions found, find_functions(*module.library, functions, names, overrides));
  VYRE_TRY(auto code, FrontierCode::make(std::move(found)));
  return FrontierProgram(std::move(code));
}

Result<FrontierProgram> FrontierProgram::from_program(const Program& program,
                                                      const FrontierNames& names,
                                                      std::span<const OverrideValue> overrides) {
  const std::vector<std::string_view> known = all_names(names);
  std::vector<NamedFunction> functions;
  for (std::uint32_t i = 0; i < program.functions.size(); ++i) {
    if (FunctionId{i} == program.entry) continue;
    const NamedFunction f{program.functions[i].name, FunctionId{i}};
    if (std::ranges::find(known, f.name) != known.end()) functions.push_back(f);
  }
  VYRE_TRY(FrontierFunctions found, find_functions(program, functions, names, overrides));
  VYRE_TRY(auto code, FrontierCode::make(std::move(found)));
  return FrontierProgram(std::move(code));
}

const TypeTable& FrontierProgram::types() const { return code_->functions.library.types; }
std::span<const FrontierVariable> FrontierProgram::variables() const { return code_->variables; }
bool FrontierProgram::has_wants() const { return code_->functions.wants.has_value(); }
bool FrontierProgram::gathers() const { return code_->functions.gather.has_value(); }
bool FrontierProgram::folds_after() const { return code_->folds_after; }
bool FrontierProgram::uses_weights() const {
  return std::ranges::any_of(
      code_->variables, [](const FrontierVariable& v) { return v.fill == FrontierFill::weights; });
}

}  // namespace vyre
