// Shadows: copies of the buffers that a program writes. A candidate runs on them, and its results
// are compared with the real ones.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/device/device.h"
#include "vyre/engine/code/code_store.h"
#include "vyre/ir/kernel.h"

namespace vyre {

// The invocations that a comparison runs, and how much of what they write is compared.
struct Slice {
  Extent extent{};
  // Elements of each written binding, from its beginning, that are compared; absent: all.
  std::optional<std::uint64_t> elements;
};

// A part of the launch, if every invocation accesses only its own element; otherwise the whole. The
// last workgroup of the part is as incomplete as that of the whole.
Slice slice_of(const Kernel& kernel, const Extent& extent);

// How the elements of a written binding are compared where a tolerance is allowed.
enum class Compared : std::uint8_t { bits, f32, f16 };

struct WrittenSlot {
  std::uint32_t slot = 0;
  Compared as = Compared::bits;
  std::uint64_t stride = 0;  // bytes from element to element; 0: the binding is not an array
  bool is_result = true;     // false: it passes from launch to launch, and is not compared
};
std::vector<WrittenSlot> written_slots(const Kernel& kernel);

// One allocation for each of these sizes, in addition to the memory in use. The error says why the
// device has no room for them.
Result<std::vector<DeviceMemory>> allocate_shadows(Device& device,
                                                   std::span<const std::uint64_t> bytes);

// What all comparisons on a device share.
struct CompareTools {
  std::shared_ptr<const LoadedCode> code;  // null where the host compares
  std::shared_ptr<Queue> aside;            // to read a count while the main queue runs on
};
// A second queue whose first read has been made: that takes milliseconds in which launches wait.
Result<std::shared_ptr<Queue>> make_side_queue(Device& device);
// Compiles the kernel that compares. This is slow, and does not make launches wait.
Result<void> make_comparing_ready(Device& device, CodeStore& codes, const WorkLimits& limits = {});
// Whether that kernel was compiled before, or is not needed.
bool is_comparing_ready(Device& device, const CodeStore& codes);
// Loads that kernel. Makes a second queue if `aside` is null.
Result<std::shared_ptr<const CompareTools>> make_compare_tools(
    Device& device, CodeStore& codes, std::shared_ptr<Queue> aside = nullptr);

// Compares memory without waiting for the device: the host compares what is in its memory, and a
// kernel compares what is in device memory. One comparison at a time.
class Comparer {
 public:
  static Result<std::unique_ptr<Comparer>> make(std::shared_ptr<const CompareTools> tools,
                                                std::shared_ptr<Queue> queue, Device& device);

  Result<void> begin();  // forgets the last comparison
  Result<void> add(BoundMemory a, BoundMemory b, Compared as, double tolerance);
  // The number of words that differ. Call it when everything that `add` queued has ended.
  Result<std::uint64_t> different();

 private:
  bool on_host() const { return tools_->code == nullptr; }
  void count_on_host(const std::byte* a, const std::byte* b, std::uint64_t bytes, Compared as,
                     double tolerance);

  std::shared_ptr<const CompareTools> tools_;
  std::shared_ptr<Queue> queue_;
  DeviceMemory count_;
  std::uint64_t counted_on_host_ = 0;
};

}  // namespace vyre
