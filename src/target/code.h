// Code: what `lower` makes and `device` runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "vyre/base/extent.h"

namespace vyre {

// ---- Host code --------------------------------------------------------------------------------

struct HostBinding {
  std::byte* data = nullptr;
  std::uint64_t bytes = 0;
};

// What every call of one launch shares. Generated code reads it by these offsets.
struct HostLaunch {
  const HostBinding* bindings = nullptr;  // by slot: the rank of (group, binding)
  Extent grid{};                          // workgroups
  Extent extent{};                        // invocations: exactly those inside run
  const std::uint32_t* stop = nullptr;    // not 0: loops give up
};
static_assert(offsetof(HostLaunch, grid) == 8 && offsetof(HostLaunch, extent) == 20 &&
              offsetof(HostLaunch, stop) == 32);

// Runs workgroups [first, first + count), numbered x fastest. `scratch` has scratch_bytes, aligned
// to 64, and belongs to this call alone. 0: done; 1: stopped.
using HostEntry = std::uint32_t (*)(const HostLaunch* launch, std::uint64_t first,
                                    std::uint64_t count, std::byte* scratch);

struct HostCode {
  HostEntry entry = nullptr;
  std::uint64_t scratch_bytes = 0;
  std::shared_ptr<const void> owner;  // keeps the machine code
};

}  // namespace vyre
