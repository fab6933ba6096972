// Memory for nodes that are freed together. Destructors are not run, so only trivially destructible
// types are allowed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace vyre {

class Arena {
 public:
  Arena() = default;
  Arena(Arena&& other) noexcept { *this = std::move(other); }
  Arena& operator=(Arena&& other) noexcept {
    chunks_ = std::move(other.chunks_);
    next_ = std::exchange(other.next_, nullptr);
    left_ = std::exchange(other.left_, 0);
    return *this;
  }

  template <class T>
  const T* make(T value) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate(sizeof(T), alignof(T))) T(std::move(value));
  }

  // A copy of the elements; an empty span takes no memory.
  template <class T>
  std::span<const T> copy(std::span<const T> from) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (from.empty()) return {};
    auto* to = static_cast<T*>(allocate(from.size_bytes(), alignof(T)));
    std::uninitialized_copy(from.begin(), from.end(), to);
    return {to, from.size()};
  }

 private:
  static constexpr std::size_t kFirstChunk = std::size_t{4} << 10;

  // Each chunk is twice as large as the last, so that small modules take little memory.
  std::size_t chunk_bytes() const {
    constexpr std::size_t kDoublings = 6;
    return kFirstChunk << std::min(chunks_.size(), kDoublings);
  }

  void* allocate(std::size_t bytes, std::size_t align) {
    std::size_t skip = (align - reinterpret_cast<std::uintptr_t>(next_) % align) % align;
    if (skip + bytes > left_) {
      left_ = std::max(bytes, chunk_bytes());
      next_ = chunks_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(left_)).get();
      skip = 0;
    }
    void* at = next_ + skip;
    next_ += skip + bytes;
    left_ -= skip + bytes;
    return at;
  }

  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace vyre
