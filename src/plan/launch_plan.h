// The plan of a launch: what runs, and where each choice comes from. A session executes it, and
// `vyre plan` prints it.
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
  evidence,       // decided by earlier measurements of this key or its size bucket
  decision_file,  // the decision file of the specification, read as imported evidence
  hint,           // decided by earlier measurements of a near key
  model,          // the cost model, where it is sure
  declared,       // from the program's text; on the CPU with the gang that suits the code
  cold_start,     // the specification's cold start, if only the limits of the device are known
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
  // True: the number of workgroups, of the declared size, is read from a buffer when the launch
  // begins. Extent and grid are then 0 in the plan.
  bool grid_in_buffer = false;
  Extent extent{1, 1, 1};  // only the invocations inside run
  Variant variant;
  Authority by = Authority::declared;  // who decided the variant
  std::string why;                     // and for which reason
  std::vector<PlanChoice> choices;     // the parts of the variant
  Extent grid{1, 1, 1};                // workgroups of the variant that cover the extent
  std::vector<BoundBinding> bindings;  // by slot
  // The specification's part: element count, logical grid, parameter words. Absent if the launch is
  // empty or has more invocations than 32 bits can count.
  std::optional<LogicalLaunch> logical;
};

// The plan that runs kernel number `kernel` of the request as `variant`. `by` and `why` say who
// chose the variant and why, except for the parts that the caller fixed.
Result<LaunchPlan> lay_out(const LaunchRequest& request, const PlanDevice& device,
                           std::size_t kernel, const Variant& variant, Authority by,
                           std::string_view why, TunerMode mode);

// The number of workgroups of a variant that cover an extent. Axes beyond the limits of the device
// are an error.
Result<Extent> grid_for(const Extent& extent, const Variant& variant, const PlanDevice& device);
Result<Extent> grid_for_covers(const Extent& extent, const Extent& covers,
                               const PlanDevice& device);

// "256x1x1 gang=16 in 64x1x1 workgroups; evidence: decided before for this size"
std::string plan_line(const LaunchPlan& plan);
// "evidence: decided before for this size"; for the declared variant the reason alone.
std::string decision_text(Authority by, std::string_view why);
// plan_text is for people: aligned lines, each with a line feed. plan_json is a JSON object.
std::string plan_text(const LaunchPlan& plan);
std::string plan_json(const LaunchPlan& plan);

}  // namespace vyre
