#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>

#include "vyre/base/process/abandonable.h"
#include "vyre/device/cuda/memory_internal.h"

namespace vyre {
namespace {

constexpr std::uint64_t kSmallest = 512;
// How long an allocation waits for memory that running work still uses.
constexpr std::chrono::milliseconds kPatience{2000};
// How long it waits for such memory if other memory is available.
constexpr std::chrono::milliseconds kBreath{20};

}  // namespace

std::uint64_t size_class(std::uint64_t bytes) {
  if (bytes <= kSmallest) return kSmallest;
  const int shift = static_cast<int>(std::bit_width(bytes - 1)) - 4;
  const std::uint64_t steps = ((bytes - 1) >> shift) + 1;
  return (steps << shift) >> shift == steps ? steps << shift : 0;
}

Result<void> MemoryPool::open(Options options, EventPool& events) {
  options_ = options;
  events_ = &events;
  VYRE_CHECK(context_.check(context_.driver().stream_create(&stream_, cu::kStreamNonBlocking),
                            "cuStreamCreate"));
  VYRE_TRY(zeroed_, events.take());
  return {};
}

void MemoryPool::close() {
  const std::scoped_lock lock(mutex_);
  for (const auto& [bytes, block] : free_) free_block(block);
  free_.clear();
  cached_ = 0;
  if (zeroed_ != nullptr) events_->give_back(zeroed_);
  if (stream_ != nullptr) context_.driver().stream_destroy(stream_);
  zeroed_ = nullptr;
  stream_ = nullptr;
}

void MemoryPool::free_block(Block block) {
  if (block.ordered) {
    context_.driver().memory_free_async(block.address, stream_);
  } else {
    context_.driver().memory_free(block.address);
  }
}

bool MemoryPool::take_cached(std::uint64_t bytes, Block& block) {
  const std::scoped_lock lock(mutex_);
  const auto it = free_.lower_bound(bytes);
  if (it == free_.end() || it->first - bytes > bytes / 8) return false;
  block = it->second;
  free_.erase(it);
  cached_ -= block.bytes;
  return true;
}

CuResult MemoryPool::take_fresh(std::uint64_t bytes, bool beside, Block& block) {
  block.bytes = bytes;
  block.ordered = options_.stream_ordered || (beside && options_.pools);
  if (!block.ordered) return context_.driver().memory_allocate(&block.address, bytes);
  has_ordered_.store(true, std::memory_order_relaxed);
  return context_.driver().memory_allocate_async(&block.address, bytes, stream_);
}

void MemoryPool::put(Block block) {
  const std::scoped_lock lock(mutex_);
  retiring_ -= block.bytes;
  if (context_.lost()) return;
  free_.emplace(block.bytes, block);
  cached_ += block.bytes;
}

std::uint64_t MemoryPool::trim() {
  reclaim_.sweep();
  if (context_.lost() || (!options_.stream_ordered && !reclaim_.idle())) return 0;
  std::multimap<std::uint64_t, Block> blocks;
  {
    const std::scoped_lock lock(mutex_);
    blocks.swap(free_);
    for (const auto& [bytes, block] : blocks) cached_ -= bytes;
  }
  std::uint64_t freed = 0;
  for (const auto& [bytes, block] : blocks) {
    free_block(block);
    freed += bytes;
  }
  // Memory of a stream-ordered free is available when the stream has reached the free.
  if (has_ordered()) context_.driver().stream_synchronize(stream_);
  return freed;
}

Error MemoryPool::no_memory(std::uint64_t bytes) {
  std::size_t free = 0, total = options_.total_bytes;
  context_.driver().memory_info(&free, &total);
  std::string what =
      fmt::format("{} has no memory for {} bytes: {} of {} are free, {} in buffers of this session",
                  context_.name(), bytes, free, total, used_bytes());
  const std::uint64_t running = retiring_.load();
  if (running != 0) what += fmt::format(", {} held by work that still runs", running);
  if (cached_bytes() != 0) {
    what += fmt::format(", {} kept for reuse until no kernel runs", cached_bytes());
  }
  return {Code::out_of_memory, std::move(what), "free buffers, or work in parts"};
}

Result<MemoryPool::Block> MemoryPool::take(std::uint64_t bytes, bool beside) {
  const std::uint64_t rounded = size_class(bytes);
  if (rounded == 0 || rounded > options_.total_bytes) return std::unexpected(no_memory(bytes));
  reclaim_.sweep();
  // Without this wait, a host that runs far ahead of its kernels would use up all memory.
  if (retiring_.load() > options_.total_bytes / 4) reclaim_.drain(kBreath);
  Block block;
  if (take_cached(rounded, block)) return block;
  CuResult result = take_fresh(rounded, beside, block);
  if (result == cu::kOutOfMemory) {
    reclaim_.drain(kPatience);
    if (take_cached(rounded, block)) return block;
    trim();
    result = take_fresh(rounded, beside, block);
  }
  if (result == cu::kOutOfMemory) return std::unexpected(no_memory(bytes));
  VYRE_CHECK(context_.check(result, "cuMemAlloc"));
  return block;
}

Result<void> MemoryPool::zero(const Block& block, std::uint64_t bytes) {
  const CudaDriver& driver = context_.driver();
  const std::uint64_t words = (std::max<std::uint64_t>(bytes, 1) + 3) / 4;
  VYRE_CHECK(
      context_.check(driver.set_words(block.address, 0, words, stream_), "cuMemsetD32Async"));
  if (context_.guest()) {
    // The application may use the address in streams that vyre does not know.
    return context_.check(driver.stream_synchronize(stream_), "cuStreamSynchronize");
  }
  return context_.check(driver.event_record(zeroed_, stream_), "cuEventRecord");
}

Result<DeviceMemory> MemoryPool::allocate(std::uint64_t bytes, std::shared_ptr<const void> keep,
                                          bool beside) {
  VYRE_TRY(const Block block, take(bytes, beside));
  if (const auto zeroed = zero(block, bytes); !zeroed) {
    retiring_ += block.bytes;
    put(block);
    return std::unexpected(zeroed.error());
  }
  const std::uint64_t born = allocations_.fetch_add(1, std::memory_order_acq_rel) + 1;
  used_ += block.bytes;
  const auto* handle = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(block.address));
  std::shared_ptr<const void> owner(
      handle, [this, block, born, keep = std::move(keep)](const void*) {
        used_ -= block.bytes;
        retiring_ += block.bytes;
        reclaim_.retire(ReleaseWhen::passed, born, [this, block] { put(block); });
      });
  return DeviceMemory{
      .address = block.address, .bytes = bytes, .host = nullptr, .owner = std::move(owner)};
}

Result<PinnedChunk> PinnedPool::take(std::uint64_t bytes) {
  {
    const std::scoped_lock lock(mutex_);
    if (const auto it = free_.find(bytes); it != free_.end()) {
      const PinnedChunk chunk = it->second;
      free_.erase(it);
      return chunk;
    }
  }
  const CudaDriver& driver = context_.driver();
  void* memory = nullptr;
  VYRE_CHECK(context_.check(
      driver.host_allocate(&memory, bytes, cu::kHostAllocPortable | cu::kHostAllocMapped),
      "cuMemHostAlloc"));
  PinnedChunk chunk{.host = static_cast<std::byte*>(memory), .device = 0, .bytes = bytes};
  if (auto mapped = context_.check(driver.host_device_address(&chunk.device, memory, 0),
                                   "cuMemHostGetDevicePointer");
      !mapped) {
    driver.host_free(memory);
    return std::unexpected(std::move(mapped).error());
  }
  return chunk;
}

void PinnedPool::give_back(PinnedChunk chunk) {
  const std::scoped_lock lock(mutex_);
  // Destructors call it. Without memory the chunk is lost, until its context is destroyed.
  (void)attempt_work([&] { free_.emplace(chunk.bytes, chunk); });
}

void PinnedPool::free_all() {
  const std::scoped_lock lock(mutex_);
  for (const auto& [bytes, chunk] : free_) context_.driver().host_free(chunk.host);
  free_.clear();
}

}  // namespace vyre
