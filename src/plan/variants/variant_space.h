// The candidates of a search, for one program on one device.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/base/extent.h"
#include "vyre/target/limits.h"
#include "vyre/target/target.h"
#include "vyre/target/variant.h"
#include "vyre/tune/evidence/tuning_key.h"

namespace vyre {

struct SpaceRequest {
  TargetKind kind = TargetKind::host;
  Variant usual;             // the variant that runs before anything is known; part of the space
  Extent declared{1, 1, 1};  // the program's own workgroup
  Extent extent{1, 1, 1};    // invocations of the largest launch that shares the choice
  // The launch counts workgroups (as WebGPU does), which keep their declared shape.
  bool shape_is_fixed = false;
  Limits limits;
  // Why a variant cannot run the program; empty if it can. Variants that cannot are left out.
  std::function<std::string(const Variant&)> why_not;
};

// All variants, each once, the usual one first. Variants whose grid exceeds the limits of the
// device, or whose single workgroup would cover the extent several times, are left out.
std::vector<Variant> variant_space(const SpaceRequest& request);

// The invocations that one workgroup covers along each axis. A lane takes all of its items along x.
Extent covered_by(const Variant& variant, TargetKind kind);

// "workgroup=256x1x1 items=4 layout=blocked TILE=16". A GPU variant has workgroup, items and
// layout; a CPU variant has workgroup, gang and groups, and items and layout only if they are not
// the default. Equal configurations mean equal variants of one space.
Configuration configuration_of(const Variant& variant, TargetKind kind);

// ---- Overrides

// An override and the values to try, as the user wrote them: TILE=8,16,32.
struct OverrideAxis {
  std::string name;
  std::vector<std::string> values;
};
Result<OverrideAxis> parse_override_axis(std::string_view text);

// All combinations that satisfy every constraint, with the last axis varying fastest. A constraint
// compares arithmetic expressions of names and whole numbers: "TILE * TILE <= 1024 && UNROLL <
// TILE".
Result<std::vector<std::vector<OverrideSetting>>> override_combinations(
    const std::vector<OverrideAxis>& axes, const std::vector<std::string>& constraints,
    std::size_t most = 4096);

}  // namespace vyre
