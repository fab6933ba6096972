// Code: what `lower` makes and `device` runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "vyre/base/extent.h"

namespace vyre {

// Memory as a kernel gets it: an address in the device's own space, and how much is there.
struct BoundMemory {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

// ---- Host code --------------------------------------------------------------------------------

// What every call of one launch shares. Generated code reads it by these offsets.
struct HostLaunch {
  const BoundMemory* bindings = nullptr;  // by slot: the rank of (group, binding)
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
  // The program was too large for every optimisation: fewer were run, in time linear in its size.
  bool brief = false;
};

// ---- GPU code ---------------------------------------------------------------------------------

// What one parameter of a GPU kernel is given at a launch.
enum class GpuParameterKind : std::uint8_t {
  address,   // of the binding `slot`
  bytes,     // u64: length of the binding `slot`
  extent,    // u32: invocations along axis `slot`
  deadline,  // u64: the device's global timer must not pass it
  status,    // address of a u32 that the kernel sets when it gave up
  value,     // these bytes, the same at every launch
  // The bytes of the binding `slot`, which is in the host's memory: as many as `value` has.
  contents,
};

struct GpuParameter {
  GpuParameterKind kind = GpuParameterKind::address;
  std::uint32_t slot = 0;
  std::vector<std::byte> value{};
};

// PTX text, or a cubin for one processor: whichever is not empty.
struct GpuCode {
  std::string ptx;
  std::vector<std::byte> cubin;
  std::string entry;  // the kernel's name inside
  std::vector<GpuParameter> parameters{};
  std::uint64_t dynamic_shared_bytes = 0;  // asked for at the launch
  bool brief = false;                      // as HostCode's
  // What the device made of the cubin ahead of loading it; only for that device, and never kept.
  std::shared_ptr<const void> read{};
};

using DeviceCode = std::variant<HostCode, GpuCode>;

// What a device tells of code that it has loaded. 0: it does not tell.
struct CodeFacts {
  std::uint32_t registers = 0;     // of 32 bits, for one lane
  std::uint64_t shared_bytes = 0;  // for one workgroup
  std::uint64_t local_bytes = 0;   // spilled or indexed memory, for one lane
  std::uint32_t max_threads = 0;   // of a workgroup
};

}  // namespace vyre
