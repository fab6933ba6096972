// The request for a launch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vyre/base/extent.h"
#include "vyre/ir/kernel.h"
#include "vyre/target/code.h"
#include "vyre/target/variant.h"

namespace vyre {

// A kernel that was made from a program with one setting of the searched overrides.
struct KernelChoice {
  Kernel kernel;
  std::vector<OverrideSetting> overrides{};
};

// Which invocations run: a logical extent, or whole workgroups as WebGPU counts them.
struct DispatchSize {
  static DispatchSize extent(Extent e) { return {e, false}; }
  static DispatchSize workgroups(Extent grid) { return {grid, true}; }

  Extent value{1, 1, 1};
  bool in_workgroups = false;
};

// The parts of a variant that the caller fixes. If any part is fixed, the other parts are as
// declared, and the launch is not tuned. A whole Variant fixes every part.
struct FixedChoices {
  std::optional<Extent> workgroup{};
  std::optional<std::uint32_t> items_per_lane{};
  std::optional<ItemLayout> layout{};
  std::optional<std::uint32_t> gang_width{};
  std::optional<std::uint32_t> groups_per_task{};
  std::optional<BoundsMode> bounds{};
  std::vector<OverrideSetting> overrides{};  // of the kernel, for the name of the variant

  FixedChoices() = default;
  FixedChoices(const Variant& variant);  // NOLINT: a variant is a choice of everything
  FixedChoices(const std::optional<Variant>& variant);  // NOLINT: and none is a choice of nothing

  bool any() const {
    return workgroup || items_per_lane || layout || gang_width || groups_per_task || bounds;
  }
  Variant applied_to(Variant variant) const;
};

// One buffer, or a part of one, as a launch binds it.
struct BindingBytes {
  std::uint32_t group = 0, binding = 0;
  std::uint64_t bytes = 0;
  bool initialised = true;  // false: the caller has written nothing to it, so it is an output
};

// The facts of a kernel's code in one variant, compiled for launches of at most `largest`
// invocations; an error says why the device cannot launch it.
using CodeFactsOf =
    std::function<Result<CodeFacts>(const Kernel&, const Variant&, const Extent& largest)>;

struct LaunchRequest {
  std::string identity;  // names the program in the evidence, for all searched overrides
  std::span<const KernelChoice> kernels;  // at least one; the first has the program's own settings
  // For each kernel, the gang that the code generator suggests on the CPU before any measurement;
  // empty: a gang of 1 for all.
  std::span<const std::uint32_t> default_gangs{};
  std::span<const BindingBytes> bindings{};
  DispatchSize size;
  // True: the number of workgroups is read from a buffer when the launch begins, `size` is ignored,
  // and the launch is not tuned.
  bool grid_in_buffer = false;
  FixedChoices fixed{};
  // Asked only about candidates that would serve first. Null: nothing is known of compiled code, as
  // on the CPU, where code of every legal variant can serve.
  CodeFactsOf code{};
};

// The number of invocations along each axis, for workgroups of this shape. It is an error if one
// does not fit into 32 bits.
Result<Extent> extent_in(const DispatchSize& size, const Extent& workgroup);
Result<Extent> extent_of(const LaunchRequest& request);

}  // namespace vyre
