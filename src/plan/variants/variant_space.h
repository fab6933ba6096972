// The variants that a search chooses from, for one program on one device.
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
  Variant usual;             // what runs before anything is known; in the space
  Extent declared{1, 1, 1};  // the program's own workgroup
  Extent extent{1, 1, 1};    // invocations of the largest launch that the choice is for
  // The launch counts workgroups (as WebGPU does): their shape stays as it is declared.
  bool shape_is_fixed = false;
  Limits limits;
  // Why a variant cannot run the program; empty when it can. Those that cannot are left out.
  std::function<std::string(const Variant&)> why_not;
};

// Without repetitions; the usual one first. Variants whose grid the device does not allow, or of
// which one workgroup would cover the extent several times over, are left out.
std::vector<Variant> variant_space(const SpaceRequest& request);

// Invocations of one workgroup along each axis: on a GPU a lane takes all of its items along x.
Extent covered_by(const Variant& variant, TargetKind kind);

// "workgroup=256x1x1 items=4 layout=blocked TILE=16": a GPU's variants by workgroup, items and
// layout, the host's by workgroup, gang and groups; items and layout there only where they are not
// the default. Equal configurations mean equal variants of one space.
Configuration configuration_of(const Variant& variant, TargetKind kind);
// The inverse. Names that are no choice of ours are overrides.
Result<Variant> variant_of(const Configuration& configuration);

// ---- Overrides
// -----------------------------------------------------------------------------------

// One override and the values to try, as the user gave them: TILE=8,16,32.
struct OverrideAxis {
  std::string name;
  std::vector<std::string> values;
};
Result<OverrideAxis> parse_override_axis(std::string_view text);

// All combinations, the last axis fastest, that every constraint allows. A constraint is an
// arithmetic comparison over the names and whole numbers: "TILE * TILE <= 1024 && UNROLL < TILE".
Result<std::vector<std::vector<OverrideSetting>>> override_combinations(
    const std::vector<OverrideAxis>& axes, const std::vector<std::string>& constraints,
    std::size_t most = 4096);

}  // namespace vyre
