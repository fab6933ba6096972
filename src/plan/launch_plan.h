// The plan of a launch: what runs, and who decided each part of it. This is what a session executes
// and what `vyre plan` prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/plan/launch_request.h"
#include "vyre/plan/plan_device.h"
#include "vyre/plan/specification/logical_launch.h"
#include "vyre/tune/tuning_mode.h"

namespace vyre {

// Who decides, the highest authority first. docs/planning.md describes the order.
enum class Authority : std::uint8_t {
  caller,         // the caller's own choice
  pin,            // a person pinned it
  evidence,       // measured before, for exactly this key or its size bucket
  decision_file,  // the decision file of the specification, read as imported evidence
  hint,           // measured before, for a near key
  model,          // the cost model, where it is sure
  declared,       // as the program says; on the CPU with the gang that suits its code
  cold_start,     // the specification's cold start, where a device is known by its limits alone
};
std::string_view to_string(Authority authority);

// One choice of a plan: "workgroup" is "256x1x1", decided by `by`, because of `why`.
struct PlanChoice {
  std::string part, value;
  Authority by = Authority::declared;
  std::string why;
  bool operator==(const PlanChoice&) const = default;
};

struct BoundBinding {
  PlannedBinding planned;  // name, slot, role, elements and alignment
  std::uint32_t group = 0, binding = 0;
  std::uint64_t bytes = 0;
};

struct LaunchPlan {
  std::string kernel, device;
  TargetKind kind = TargetKind::host;
  TunerMode mode = kProductionMode;
  Extent declared{1, 1, 1};  // the program's own workgroup
  Extent extent{1, 1, 1};    // exactly the invocations inside run
  Variant variant;
  Authority by = Authority::declared;  // who decided the variant
  std::vector<PlanChoice> choices;     // the parts of the variant
  Extent grid{1, 1, 1};                // workgroups of the variant that cover the extent
  std::vector<BoundBinding> bindings;  // by slot
  // The specification's part: element count, logical grid, parameter words. Absent where the launch
  // is empty or has more invocations than 32 bits count.
  std::optional<LogicalLaunch> logical;
};

// The plan that runs the request's kernel number `kernel` as `variant`. `by` and `why` say who
// chose the variant; parts that the caller fixed are the caller's.
Result<LaunchPlan> lay_out(const LaunchRequest& request, const PlanDevice& device,
                           std::size_t kernel, const Variant& variant, Authority by,
                           std::string_view why, TunerMode mode);

// The workgroups of a variant that cover an extent. Axes beyond what the device allows are an
// error.
Result<Extent> grid_for(const Extent& extent, const Variant& variant, const PlanDevice& device);
Result<Extent> grid_for_covers(const Extent& extent, const Extent& covers,
                               const PlanDevice& device);

// For people: some aligned lines, the last one ended. For programs: a JSON object.
std::string plan_text(const LaunchPlan& plan);
std::string plan_json(const LaunchPlan& plan);

}  // namespace vyre
