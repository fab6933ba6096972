#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "vyre/device/cuda/deadlines_internal.h"

namespace vyre {
namespace {

constexpr std::size_t kNameBytes = 64;  // longer names are truncated

std::atomic_ref<std::uint32_t> word_at(const PinnedChunk& words, std::uint64_t slot) {
  return std::atomic_ref(*reinterpret_cast<std::uint32_t*>(words.host + slot * 4));
}

}  // namespace

Result<void> Deadlines::prepare() {
  if (words_.host != nullptr) return {};
  for (CuEvent& event : half_done_) {
    if (event != nullptr) continue;
    VYRE_TRY(event, events_.take());
  }
  // Launches allocate nothing.
  for (Slot& slot : slots_) slot.kernel.reserve(kNameBytes);
  VYRE_TRY(words_, pinned_.take(kSlots * sizeof(std::uint32_t)));
  std::memset(words_.host, 0, words_.bytes);
  return {};
}

Result<CuAddress> Deadlines::take(std::string_view kernel, std::chrono::nanoseconds deadline) {
  VYRE_CHECK(prepare());
  const CudaDriver& driver = context_.driver();
  if (taken_ % kHalf == 0 && taken_ != 0) {
    const std::uint64_t half = taken_ / kHalf;
    VYRE_CHECK(
        context_.check(driver.event_record(half_done_[(half - 1) % 2], stream_), "cuEventRecord"));
    if (half >= 2) {
      VYRE_CHECK(
          context_.check(driver.event_synchronize(half_done_[half % 2]), "cuEventSynchronize"));
      inspect(taken_ - kHalf);
    }
  }
  const std::uint64_t slot = taken_ % kSlots;
  slots_[slot].kernel.assign(kernel.substr(0, kNameBytes));
  slots_[slot].deadline = deadline;
  ++taken_;
  return words_.device + slot * 4;
}

std::uint64_t Deadlines::taken() const {
  const std::scoped_lock lock(mutex_);
  return taken_;
}

void Deadlines::inspect(std::uint64_t end) {
  for (; inspected_ < end; ++inspected_) {
    const std::uint64_t slot = inspected_ % kSlots;
    if (word_at(words_, slot).exchange(0) == 0 || failure_) continue;
    const std::chrono::duration<double, std::milli> ms = slots_[slot].deadline;
    failure_ = Error{Code::device,
                     fmt::format("kernel '{}' did not end within {} ms; its buffers hold what it "
                                 "had written by then",
                                 slots_[slot].kernel, ms.count()),
                     {}};
  }
}

Result<void> Deadlines::settle(std::uint64_t count) {
  const std::scoped_lock lock(mutex_);
  if (words_.host != nullptr) inspect(std::min(count, taken_));
  if (!failure_) return {};
  auto failure = std::unexpected(*std::move(failure_));
  failure_.reset();
  return failure;
}

void Deadlines::release() {
  const std::scoped_lock lock(mutex_);
  if (words_.host != nullptr) pinned_.give_back(words_);
  for (CuEvent& event : half_done_) {
    if (event != nullptr) events_.give_back(event);
    event = nullptr;
  }
  words_ = {};
}

}  // namespace vyre
