// The items of a recording with everything they refer to, to be submitted one after the other.
#pragma once

#include <cstddef>
#include <mutex>
#include <string_view>
#include <vector>

#include "vyre/base/process/fork_watch.h"
#include "vyre/device/device.h"

namespace vyre {

// A slot of a launch whose binding is in the host's memory and goes with the launch, with its size.
struct ContentsSlot {
  std::uint32_t slot = 0;
  std::size_t bytes = 0;
};

// A launch that owns its bindings, and a copy of contents that go with it.
class OwnedLaunch {
 public:
  void set(const Launch& launch, std::span<const ContentsSlot> contents = {});
  // Valid as long as this object is neither changed nor moved.
  Launch launch() const;

 private:
  Launch launch_{};
  std::string kernel_;
  std::vector<BoundMemory> bindings_;
  std::vector<ContentsSlot> contents_;
  std::vector<std::vector<std::byte>> bytes_;  // by position in `contents_`
};

// What every device can do: submit the items in their order.
class ListedWork : public WorkRecording {
 public:
  explicit ListedWork(std::span<const WorkItem> items);

  Result<void> set(std::uint32_t item, const Launch& launch) override;
  std::string_view one_by_one() const override { return "this device takes them in their order"; }

  Result<void> play_in_order(Queue& queue, const PlayLimits& limits);

 protected:
  struct Item {
    WorkItem::Kind kind{};
    OwnedLaunch launch;
    BoundMemory from, to;
  };
  // Slots of this code whose contents go with a launch.
  virtual std::vector<ContentsSlot> contents_of(const Launch&) const { return {}; }
  // Checks that the item is a launch, and that this launch can take its place.
  Result<void> check_item(std::uint32_t item, const Launch& launch) const;
  // Plays an item of a play that began at this time, with what is left of its limits.
  Result<void> play_item(Queue& queue, std::uint32_t item, const PlayLimits& limits,
                         std::chrono::steady_clock::time_point began) const;
  static void limit(Launch& launch, const PlayLimits& limits,
                    std::chrono::steady_clock::time_point began);
  void keep(std::uint32_t item, const Launch& launch) {
    items_[item].launch.set(launch, contents_of(launch));
  }

  mutable ForkSafeMutex mutex_{HeldFor::work};  // one play or change at a time
  std::vector<Item> items_;
};

// Checks that items wait only for earlier items, that the two ranges of a copy do not overlap, and
// that no launch has workgroups that wait for each other.
Result<void> check_items(std::span<const WorkItem> items);

}  // namespace vyre
