#include "vyre/device/host_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>

#include "vyre/base/files/file_handle.h"

namespace vyre {
namespace {

constexpr std::uint64_t kMapFrom = std::uint64_t{1} << 20;
constexpr std::align_val_t kAlignment{64};

std::unexpected<Error> no_memory(std::uint64_t bytes) {
  return fail(Code::out_of_memory, fmt::format("no memory for a buffer of {} bytes", bytes));
}

DeviceMemory memory_at(void* data, std::uint64_t bytes, std::shared_ptr<const void> owner) {
  return {.address = reinterpret_cast<std::uintptr_t>(data),
          .bytes = bytes,
          .host = static_cast<std::byte*>(data),
          .owner = std::move(owner)};
}

}  // namespace

Result<MemoryInfo> host_memory_info() {
  struct sysinfo memory{};
  if (sysinfo(&memory) != 0) return fail(Code::io, "the system does not tell its memory");
  MemoryInfo out{.total = std::uint64_t{memory.totalram} * memory.mem_unit,
                 .free = std::uint64_t{memory.freeram} * memory.mem_unit};
  // Memory that holds the page cache counts as free.
  constexpr std::string_view kWord = "MemAvailable:";
  const std::string text = system_text("/proc/meminfo");
  const std::size_t at = text.find(kWord);
  if (at != text.npos)
    out.free = std::strtoull(text.c_str() + at + kWord.size(), nullptr, 10) << 10;
  return out;
}

Result<DeviceMemory> allocate_host_memory(std::uint64_t bytes) {
  if (bytes < kMapFrom) {
    const std::size_t room = bytes == 0 ? 1 : bytes;
    void* data = ::operator new(room, kAlignment, std::nothrow);
    if (data == nullptr) return no_memory(bytes);
    std::memset(data, 0, room);
    return memory_at(data, bytes, std::shared_ptr<void>(data, [](void* p) {
                       ::operator delete(p, kAlignment);
                     }));
  }
  VYRE_TRY(const MemoryInfo info, host_memory_info());
  if (bytes > info.free) {
    return fail(Code::out_of_memory,
                fmt::format("no memory for a buffer of {} bytes: {} are free", bytes, info.free));
  }
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) return no_memory(bytes);
  madvise(data, bytes, MADV_HUGEPAGE);  // optional; some kernels refuse it
  return memory_at(data, bytes,
                   std::shared_ptr<void>(data, [bytes](void* p) { munmap(p, bytes); }));
}

}  // namespace vyre
