#include "vyre/ir/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "vyre/ir/fingerprint.h"
#include "vyre/ir/fold_constants.h"
#include "vyre/ir/fuse_multiply_add.h"
#include "vyre/ir/validate/validate.h"

namespace vyre {
namespace {

Result<void> check(const Program& program) {
  const std::vector<ProgramIssue> issues = validate(program);
  if (issues.empty()) return {};
  std::string what = locate(program, issues[0].pos, issues[0].what);
  if (issues.size() > 1) what += fmt::format(" (and {} more)", issues.size() - 1);
  return fail(Code::invalid_input, std::move(what));
}

Kernel counted(Program program) {
  Kernel kernel;
  kernel.stats = stats(program);
  kernel.fingerprint = fingerprint(program);
  kernel.program = std::make_shared<const Program>(std::move(program));
  return kernel;
}

}  // namespace

Result<Kernel> make_kernel(Program program, std::span<const OverrideValue> overrides) {
  VYRE_CHECK(check(program));
  const bool sized_by_overrides = !program.overrides.empty();
  VYRE_TRY(Program ready, specialise(std::move(program), overrides));
  contract_multiply_add(ready);
  // Values of overrides make sizes that the first look could not see.
  if (sized_by_overrides) VYRE_CHECK(check(ready));
  return counted(std::move(ready));
}

Result<Kernel> finish_kernel(Program program) {
  assert(program.overrides.empty());
  VYRE_CHECK(check(program));
  return counted(std::move(program));
}

bool has_workgroup_memory(const Program& program) {
  return std::ranges::any_of(program.globals,
                             [](const Global& g) { return g.memory == MemoryKind::workgroup; });
}

bool works_together(const Kernel& kernel) {
  return kernel.stats.barriers != 0 || kernel.stats.subgroup_operations != 0 ||
         has_workgroup_memory(*kernel.program);
}

bool depends_on_workgroup(const Kernel& kernel) {
  return works_together(kernel) || reads_workgroup_ids(kernel.stats);
}

}  // namespace vyre
