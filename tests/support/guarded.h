// Memory between pages that nobody may touch.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

namespace vyre {

class Guarded {
 public:
  enum class At : unsigned char { begin, end };  // which end of the bytes is at a guard

  Guarded(std::uint64_t bytes, At at) {
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const std::uint64_t inner = (bytes + page - 1) / page * page;
    length_ = inner + 2 * page;
    void* all = mmap(nullptr, length_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    all_ = static_cast<std::byte*>(all);
    if (mprotect(all_ + page, inner, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    bytes_ = {all_ + page + (at == At::end ? inner - bytes : 0), bytes};
  }
  ~Guarded() { munmap(all_, length_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }

 private:
  std::byte* all_ = nullptr;
  std::uint64_t length_ = 0;
  std::span<std::byte> bytes_;
};

}  // namespace vyre
