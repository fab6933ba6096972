// Objects with 64-bit ids, for interfaces that cannot trust pointers. An id that was never issued,
// was closed, or is of another kind finds nothing.
//
// An id is {kind: 4 bits, generation: 36, index: 24}, and never 0. An index is reused with the next
// generation, and retired when the generations run out. Thread-safe; finding an object takes one
// compare-and-swap and no lock. An object that is closed while in use lives until the last use
// ends.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "vyre/base/process/fork_watch.h"

namespace vyre {

template <class T>
class HandleTable {
  struct Place;

 public:
  // Keeps an object alive; empty if there is none.
  class Pin {
   public:
    Pin() = default;
    Pin(Pin&& other) noexcept
        : table_(other.table_), place_(std::exchange(other.place_, nullptr)) {}
    Pin& operator=(Pin&& other) noexcept {
      std::swap(table_, other.table_);
      std::swap(place_, other.place_);
      return *this;
    }
    ~Pin() {
      if (place_ != nullptr) table_->let_go(*place_);
    }

    explicit operator bool() const { return place_ != nullptr; }
    T& operator*() const { return *place_->object; }
    T* operator->() const { return place_->object.get(); }

   private:
    friend class HandleTable;
    Pin(HandleTable* table, Place* place) : table_(table), place_(place) {}

    HandleTable* table_ = nullptr;
    Place* place_ = nullptr;
  };

  // 1 to 15.
  explicit HandleTable(std::uint8_t kind) : kind_(kind) {}
  // No object may be in use.
  ~HandleTable() {
    for (auto& chunk : chunks_) delete[] chunk.load(std::memory_order_relaxed);
  }
  HandleTable(const HandleTable&) = delete;
  HandleTable& operator=(const HandleTable&) = delete;

  static std::uint8_t kind_of(std::uint64_t id) { return static_cast<std::uint8_t>(id >> 60U); }
  std::uint8_t kind() const { return kind_; }

  // The new id; 0 if the table is full.
  std::uint64_t insert(std::unique_ptr<T> object) {
    const std::scoped_lock lock(mutex_);
    std::uint32_t index = free_;
    if (index != kNone) {
      free_ = place_at(index)->next_free;
    } else {
      index = used_;
      if (index / kChunk == chunks_.size()) return 0;
      auto& chunk = chunks_[index / kChunk];
      if (index % kChunk == 0) chunk.store(new Place[kChunk], std::memory_order_release);
      ++used_;
    }
    Place& place = *place_at(index);
    const std::uint64_t generation = place.state.load(std::memory_order_relaxed) >> kPinBits;
    place.index = index;
    place.object = std::move(object);
    place.state.store((generation << kPinBits) | kLive, std::memory_order_release);
    return std::uint64_t{kind_} << 60U | generation << 24U | index;
  }

  Pin pin(std::uint64_t id) { return change(id, 1); }

  // The object is destroyed as soon as it is not in use. False: there is no object with this id.
  bool close(std::uint64_t id) { return static_cast<bool>(change(id, 1 - kLive)); }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  static constexpr std::uint32_t kChunk = 1024;
  static constexpr std::size_t kChunks = 4096;
  static constexpr unsigned kPinBits = 28;  // the live bit, and 27 bits of count
  static constexpr std::uint64_t kLive = std::uint64_t{1} << 27U;
  static constexpr std::uint64_t kLastGeneration = (std::uint64_t{1} << 36U) - 1;

  struct alignas(64) Place {
    // The generation, the live bit, and the number of users.
    std::atomic<std::uint64_t> state{std::uint64_t{1} << kPinBits};
    std::unique_ptr<T> object;
    std::uint32_t index = 0;
    std::uint32_t next_free = kNone;
  };

  Place* place_at(std::uint32_t index) const {
    if (index / kChunk >= kChunks) return nullptr;
    Place* chunk = chunks_[index / kChunk].load(std::memory_order_acquire);
    return chunk == nullptr ? nullptr : chunk + index % kChunk;
  }

  // Adds to the state if the id belongs to a live object.
  Pin change(std::uint64_t id, std::uint64_t added) {
    if (kind_of(id) != kind_) return {};
    Place* place = place_at(static_cast<std::uint32_t>(id & 0xFFFFFFU));
    if (place == nullptr) return {};
    const std::uint64_t wanted = ((id >> 24U & kLastGeneration) << kPinBits) | kLive;
    std::uint64_t state = place->state.load(std::memory_order_relaxed);
    do {
      if ((state & ~(kLive - 1)) != wanted) return {};
    } while (!place->state.compare_exchange_weak(state, state + added, std::memory_order_acquire,
                                                 std::memory_order_relaxed));
    return Pin(this, place);
  }

  void let_go(Place& place) {
    const std::uint64_t before = place.state.fetch_sub(1, std::memory_order_acq_rel);
    // The object is closed and this was its last user: no other thread gets here or can pin it.
    if ((before & (2 * kLive - 1)) != 1) return;
    place.object.reset();
    const std::uint64_t next = (before >> kPinBits) + 1;
    if (next > kLastGeneration) return;
    const std::scoped_lock lock(mutex_);
    place.state.store(next << kPinBits, std::memory_order_relaxed);
    place.next_free = free_;
    free_ = place.index;
  }

  const std::uint8_t kind_;
  ForkSafeMutex mutex_;  // of all below, but for reading chunks_
  std::uint32_t used_ = 0;
  std::uint32_t free_ = kNone;
  std::array<std::atomic<Place*>, kChunks> chunks_{};
};

}  // namespace vyre
