// Device memory, and pinned host memory. Returning memory to the driver waits for running kernels,
// so it goes to a pool instead, and to the driver only when no other memory is left.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "vyre/base/process/fork_watch.h"
#include "vyre/device/cuda/context_internal.h"
#include "vyre/device/cuda/reclaim_internal.h"
#include "vyre/device/device.h"

namespace vyre {

// The size that is allocated for this number of bytes: rounded up to an eighth of a power of two,
// at least 512. 0 if it would overflow.
std::uint64_t size_class(std::uint64_t bytes);

class MemoryPool {
 public:
  struct Options {
    bool pools = false;           // the driver has memory pools
    bool stream_ordered = false;  // memory is freed without waiting; guests use this for all memory
    std::uint64_t total_bytes = 0;
  };

  MemoryPool(CudaContext& context, Reclaim& reclaim) : context_(context), reclaim_(reclaim) {}
  // This and all following functions need the context to be current.
  Result<void> open(Options options, EventPool& events);
  // Must be called before the pool is destroyed, if the context remains in use.
  void close();

  // The memory is zero for all work that this device's queues submit from now on. `keep` is kept
  // alive as long as the memory is used. `beside`: do not delay launches of other threads, which a
  // normal allocation delays by some tenths of a millisecond.
  Result<DeviceMemory> allocate(std::uint64_t bytes, std::shared_ptr<const void> keep,
                                bool beside = false);
  // Returns unused memory to the driver, unless a kernel runs. The result is the number of bytes.
  std::uint64_t trim();

  // Whether some memory is from the driver's pools, which outlive a context.
  bool has_ordered() const { return has_ordered_.load(std::memory_order_relaxed); }

  // The number of allocations so far. A queue that last read a smaller number must wait for
  // zeroed() before it uses the new memory.
  std::uint64_t allocations() const { return allocations_.load(std::memory_order_acquire); }
  // An event after the zeroing of all memory that was allocated so far; null for a guest, whose
  // allocations have waited for it.
  CuEvent zeroed() const { return context_.guest() ? nullptr : zeroed_; }

  std::uint64_t used_bytes() const { return used_.load(std::memory_order_relaxed); }
  std::uint64_t cached_bytes() const { return cached_.load(std::memory_order_relaxed); }

 private:
  struct Block {
    CuAddress address = 0;
    std::uint64_t bytes = 0;
    bool ordered = false;  // it is from a pool of the driver
  };

  bool take_cached(std::uint64_t bytes, Block& block);
  CuResult take_fresh(std::uint64_t bytes, bool beside, Block& block);
  Result<Block> take(std::uint64_t bytes, bool beside);
  Result<void> zero(const Block& block, std::uint64_t bytes);
  void put(Block block);
  void free_block(Block block);
  Error no_memory(std::uint64_t bytes);

  CudaContext& context_;
  Reclaim& reclaim_;
  Options options_;
  CuStream stream_ = nullptr;
  CuEvent zeroed_ = nullptr;
  EventPool* events_ = nullptr;
  std::atomic<std::uint64_t> allocations_{0};
  std::atomic<std::uint64_t> used_{0};      // in buffers
  std::atomic<std::uint64_t> retiring_{0};  // free, but running work may still use it
  std::atomic<std::uint64_t> cached_{0};    // free, and kept for later allocations
  ForkSafeMutex mutex_{HeldFor::work};
  std::multimap<std::uint64_t, Block> free_;
  std::atomic<bool> has_ordered_{false};
};

// Host memory that the device can access.
struct PinnedChunk {
  std::byte* host = nullptr;
  CuAddress device = 0;
  std::uint64_t bytes = 0;
};

class PinnedPool {
 public:
  explicit PinnedPool(CudaContext& context) : context_(context) {}
  // With the context current. Not zeroed.
  Result<PinnedChunk> take(std::uint64_t bytes);
  void give_back(PinnedChunk chunk);
  void free_all();

 private:
  CudaContext& context_;
  ForkSafeMutex mutex_{HeldFor::work};
  std::multimap<std::uint64_t, PinnedChunk> free_;
};

}  // namespace vyre
