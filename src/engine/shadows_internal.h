// Second copies of what a program writes, to run a candidate on and compare with the real ones.
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
#include "vyre/engine/code_store.h"
#include "vyre/ir/kernel.h"

namespace vyre {

// The invocations that a comparison runs, and how much of what they write is compared.
struct Slice {
  Extent extent{};
  // Elements of each written binding, from its beginning, that are compared; absent: all.
  std::optional<std::uint64_t> elements;
};

// A part of the launch where the program allows it: invocations that touch their own element alone.
// The slice ends as raggedly as the whole does.
Slice slice_of(const Kernel& kernel, const Extent& extent);

// How the elements of a written binding are compared where a tolerance is allowed.
enum class Compared : std::uint8_t { bits, f32, f16 };

struct WrittenSlot {
  std::uint32_t slot = 0;
  Compared as = Compared::bits;
  std::uint64_t stride = 0;  // bytes from element to element; 0: it is no array
  bool is_result = true;     // false: it passes from launch to launch, and is not compared
};
std::vector<WrittenSlot> written_slots(const Kernel& kernel);

// One piece of memory for each of these sizes, beside what is in use. The error says why there is
// none.
Result<std::vector<DeviceMemory>> allocate_shadows(Device& device,
                                                   std::span<const std::uint64_t> bytes);

// What comparisons on one device share.
struct CompareTools {
  std::shared_ptr<const LoadedCode> code;  // null where the host compares
  std::shared_ptr<Queue> aside;            // to read a count while the main queue runs on
};
// With all that a queue's first read sets up, which takes milliseconds in which launches wait.
Result<std::shared_ptr<Queue>> make_side_queue(Device& device);
// Compiles what is needed: slow, and beside what runs.
Result<void> make_comparing_ready(Device& device, CodeStore& codes, const WorkLimits& limits = {});
// Whether that is not needed.
bool is_comparing_ready(Device& device, const CodeStore& codes);
// Loads it. Without a queue aside it makes one.
Result<std::shared_ptr<const CompareTools>> make_compare_tools(
    Device& device, CodeStore& codes, std::shared_ptr<Queue> aside = nullptr);

// Compares memory on its device without waiting: where the host reaches it at once, elsewhere by a
// kernel. One comparison at a time.
class Comparer {
 public:
  static Result<std::unique_ptr<Comparer>> make(std::shared_ptr<const CompareTools> tools,
                                                std::shared_ptr<Queue> queue, Device& device);

  Result<void> begin();  // forgets the last comparison
  Result<void> add(BoundMemory a, BoundMemory b, Compared as, double tolerance);
  // Words that differ. After everything that `add` queued has ended.
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
