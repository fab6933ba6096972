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

}  // namespace vyre
