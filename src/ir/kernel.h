// A Kernel is a Program that is ready to be planned, lowered and run: validated, with its overrides
// set and multiply-adds fused, and with its statistics and fingerprint.
#pragma once

#include <memory>
#include <span>

#include "vyre/base/digest.h"
#include "vyre/base/error.h"
#include "vyre/ir/program.h"
#include "vyre/ir/specialise.h"
#include "vyre/ir/stats.h"

namespace vyre {

struct Kernel {
  std::shared_ptr<const Program> program;
  Stats stats;
  Digest fingerprint;
};
// Copies of a Kernel share the program. The error is the first one that validate reports, with the
// number of the others.
Result<Kernel> make_kernel(Program program, std::span<const OverrideValue> overrides = {});
// validate, stats, fingerprint, and nothing else: for a program made out of kernels, in which every
// operation stays as it is.
Result<Kernel> finish_kernel(Program program);

bool has_workgroup_memory(const Program& program);
// Whether the invocations of a workgroup share memory or wait for each other.
bool works_together(const Kernel& kernel);
// Whether the results depend on the shape of the workgroup.
bool depends_on_workgroup(const Kernel& kernel);

}  // namespace vyre
