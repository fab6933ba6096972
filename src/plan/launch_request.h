// What a caller asks of a launch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vyre/base/extent.h"
#include "vyre/ir/kernel.h"
#include "vyre/target/variant.h"

namespace vyre {

// One kernel of a program, made with these values of the overrides that are searched.
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

// The parts of a variant that the caller fixes. Where one is fixed, the others are as declared, and
// nothing is tuned. A whole Variant fixes every part.
struct FixedChoices {
  std::optional<Extent> workgroup{};
  std::optional<std::uint32_t> items_per_lane{};
  std::optional<ItemLayout> layout{};
  std::optional<std::uint32_t> gang_width{};
  std::optional<std::uint32_t> groups_per_task{};
  std::optional<BoundsMode> bounds{};
  std::vector<OverrideSetting> overrides{};  // that the kernel was made with, for its name

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
  bool initialised = true;  // false: zeros that nobody has written, so that the kernel only writes
};

struct LaunchRequest {
  std::string identity;  // names the program in the evidence, whatever its searched overrides are
  std::span<const KernelChoice> kernels;  // at least one; the first is what the program says itself
  // By kernel, the gang that suits its code on the CPU before anything is measured, as the code
  // generator tells it; empty: 1.
  std::span<const std::uint32_t> default_gangs{};
  std::span<const BindingBytes> bindings{};
  DispatchSize size;
  FixedChoices fixed{};
};

// The invocations along each axis of a size whose workgroups have this shape; an error where 32
// bits cannot count them.
Result<Extent> extent_in(const DispatchSize& size, const Extent& workgroup);
Result<Extent> extent_of(const LaunchRequest& request);

}  // namespace vyre
