// Compiled code, which `lower` makes and `device` runs.
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

// Memory as a kernel sees it: an address in the device's address space, and a length.
struct BoundMemory {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

// ---- Host code --------------------------------------------------------------------------------

// The data that all calls of one launch share. Generated code reads the fields at these offsets.
struct HostLaunch {
  const BoundMemory* bindings = nullptr;  // by slot: the rank of (group, binding)
  Extent grid{};                          // workgroups
  Extent extent{};                        // only the invocations inside run
  const std::uint32_t* stop = nullptr;    // not 0: loops end early
};
static_assert(offsetof(HostLaunch, grid) == 8 && offsetof(HostLaunch, extent) == 20 &&
              offsetof(HostLaunch, stop) == 32);

// Runs workgroups [first, first + count), numbered with x varying fastest. `scratch` has
// scratch_bytes, is aligned to 64 bytes, and is used by this call only. The stack of the calling
// thread has stack_bytes left, and some for functions of the C library. Returns 0 when done, 1
// when stopped.
using HostEntry = std::uint32_t (*)(const HostLaunch* launch, std::uint64_t first,
                                    std::uint64_t count, std::byte* scratch);

struct HostCode {
  HostEntry entry = nullptr;
  std::uint64_t scratch_bytes = 0, stack_bytes = 0;
  std::shared_ptr<const void> owner;  // keeps the machine code alive
  // The program was too large for all optimisations; a few that take linear time were run.
  bool brief = false;
};

// ---- GPU code ---------------------------------------------------------------------------------

// What is passed to a parameter of a GPU kernel at a launch.
enum class GpuParameterKind : std::uint8_t {
  address,   // u64: address of the binding `slot`
  bytes,     // u64: length of the binding `slot`
  extent,    // u32: invocations along axis `slot`
  deadline,  // u64: the value of the device's global timer at which the kernel must give up
  status,    // address of a u32 that the kernel sets when it gives up
  value,     // the bytes `value`, the same at every launch
  // The bytes of the binding `slot`, which is in host memory; as many bytes as `value` has.
  contents,
};

struct GpuParameter {
  GpuParameterKind kind = GpuParameterKind::address;
  std::uint32_t slot = 0;
  std::vector<std::byte> value{};
};

// Either PTX text or a cubin for one architecture; the other is empty.
struct GpuCode {
  std::string ptx;
  std::vector<std::byte> cubin;
  std::string entry;  // the kernel's name inside
  std::vector<GpuParameter> parameters{};
  std::uint64_t dynamic_shared_bytes = 0;  // requested at the launch
  bool brief = false;                      // as in HostCode
  // The cubin as one device has read it, ready to be loaded there; never stored.
  std::shared_ptr<const void> read{};
};

using DeviceCode = std::variant<HostCode, GpuCode>;

// Facts about code that a device has loaded; 0: unknown.
struct CodeFacts {
  std::uint32_t registers = 0;     // of 32 bits, for one lane
  std::uint64_t shared_bytes = 0;  // for one workgroup
  std::uint64_t local_bytes = 0;   // spilled or indexed memory, for one lane
  std::uint32_t max_threads = 0;   // of a workgroup
  bool brief = false;              // see HostCode
};

}  // namespace vyre
