// A Kernel is a Program ready to be planned, lowered and run: specialised, contracted, validated,
// with its statistics and fingerprint computed once.
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
// validate (first error, with the count of the others), specialise, contract, stats, fingerprint.
Result<Kernel> make_kernel(Program program, std::span<const OverrideValue> overrides = {});
// validate, stats, fingerprint, and nothing else: for a program made out of kernels, in which every
// operation stays as it is.
Result<Kernel> finish_kernel(Program program);

bool has_workgroup_memory(const Program& program);
// Whether the invocations of a workgroup share memory or wait for each other.
bool works_together(const Kernel& kernel);
// Whether the shape of its workgroup is a part of what the program means.
bool depends_on_workgroup(const Kernel& kernel);

}  // namespace vyre
