#include "vyre/device/listed_work.h"

#include <fmt/format.h>

#include <algorithm>

namespace vyre {

void OwnedLaunch::set(const Launch& launch, std::span<const ContentsSlot> contents) {
  launch_ = launch;
  kernel_ = launch.kernel;
  bindings_.assign(launch.bindings.begin(), launch.bindings.end());
  contents_.assign(contents.begin(), contents.end());
  bytes_.resize(contents_.size());
  for (std::size_t i = 0; i < contents_.size(); ++i) {
    const auto* from = reinterpret_cast<const std::byte*>(
        static_cast<std::uintptr_t>(bindings_[contents_[i].slot].address));
    bytes_[i].assign(from, from + contents_[i].bytes);
    bindings_[contents_[i].slot].address = reinterpret_cast<std::uintptr_t>(bytes_[i].data());
  }
}

Launch OwnedLaunch::launch() const {
  Launch out = launch_;
  out.kernel = kernel_;
  out.bindings = bindings_;
  return out;
}

namespace {

Result<void> check_recorded(const Launch& launch) {
  if (!launch.together) return {};
  return fail(Code::invalid_input,
              fmt::format("the workgroups of kernel '{}' wait for each other, so it cannot be "
                          "recorded",
                          launch.kernel),
              "launch it by itself");
}

}  // namespace

Result<void> check_items(std::span<const WorkItem> items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].kind == WorkItem::Kind::launch) VYRE_CHECK(check_recorded(items[i].launch));
    for (const std::uint32_t before : items[i].after) {
      if (before < i) continue;
      return fail(Code::invalid_input,
                  fmt::format("item {} of a recording waits for item {}, which is not before it", i,
                              before));
    }
    const BoundMemory &from = items[i].from, &to = items[i].to;
    if (items[i].kind == WorkItem::Kind::copy &&
        (from.bytes > to.bytes ||
         (from.address < to.address + from.bytes && to.address < from.address + from.bytes))) {
      return fail(Code::invalid_input,
                  fmt::format("item {} of a recording copies {} bytes into a part of {} bytes that "
                              "is too small, or overlaps them",
                              i, from.bytes, to.bytes));
    }
  }
  return {};
}

ListedWork::ListedWork(std::span<const WorkItem> items) : items_(items.size()) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    items_[i].kind = items[i].kind;
    items_[i].from = items[i].from;
    items_[i].to = items[i].to;
  }
}

Result<void> ListedWork::check_item(std::uint32_t item, const Launch& launch) const {
  if (item < items_.size() && items_[item].kind == WorkItem::Kind::launch) {
    return check_recorded(launch);
  }
  return fail(Code::invalid_input,
              fmt::format("item {} of a recording of {} items is no launch", item, items_.size()));
}

Result<void> ListedWork::set(std::uint32_t item, const Launch& launch) {
  VYRE_CHECK(check_item(item, launch));
  const std::scoped_lock lock(mutex_);
  keep(item, launch);
  return {};
}

Result<void> ListedWork::play_in_order(Queue& queue, const PlayLimits& limits) {
  const auto began = std::chrono::steady_clock::now();
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    VYRE_CHECK(play_item(queue, i, limits, began));
  }
  return {};
}

Result<void> ListedWork::play_item(Queue& queue, std::uint32_t item, const PlayLimits& limits,
                                   std::chrono::steady_clock::time_point began) const {
  const Item& played = items_[item];
  if (played.kind == WorkItem::Kind::copy) return queue.copy(played.from, played.to);
  if (played.kind == WorkItem::Kind::clear) return queue.clear(played.to);
  Launch launch = played.launch.launch();
  limit(launch, limits, began);
  return queue.launch(launch);
}

void ListedWork::limit(Launch& launch, const PlayLimits& limits,
                       std::chrono::steady_clock::time_point began) {
  launch.stop = limits.stop;
  if (!limits.deadline) return;
  const std::chrono::nanoseconds spent = std::chrono::steady_clock::now() - began;
  launch.deadline = std::max(*limits.deadline - spent, std::chrono::nanoseconds(1));
  launch.asked = limits.asked.value_or(*limits.deadline);
}

namespace {

class PlainList final : public ListedWork {
 public:
  explicit PlainList(std::span<const WorkItem> items) : ListedWork(items) {
    for (std::uint32_t i = 0; i < items.size(); ++i) {
      if (items[i].kind == WorkItem::Kind::launch) keep(i, items[i].launch);
    }
  }
  Result<void> play(Queue& queue, const PlayLimits& limits) {
    const std::scoped_lock lock(mutex_);
    return play_in_order(queue, limits);
  }
};

}  // namespace

Result<std::shared_ptr<WorkRecording>> Queue::record_work(std::span<const WorkItem> items) {
  VYRE_CHECK(check_items(items));
  return std::make_shared<PlainList>(items);
}

Result<void> Queue::play(WorkRecording& recording, const PlayLimits& limits) {
  auto* list = dynamic_cast<PlainList*>(&recording);
  if (list == nullptr) {
    return fail(Code::invalid_input, "the recording was made by another kind of device");
  }
  return list->play(*this, limits);
}

}  // namespace vyre
