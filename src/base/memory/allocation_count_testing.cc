#include "vyre/base/memory/allocation_count_testing.h"

#include <cstdlib>
#include <new>

#include "vyre/base/process/sanitizers_testing.h"

#if VYRE_ADDRESS_SANITIZER || VYRE_THREAD_SANITIZER

// The sanitizers bring an operator new of their own.
namespace vyre {

std::uint64_t allocation_count() { return 0; }

}  // namespace vyre

#else

namespace {

thread_local std::uint64_t count = 0;

void* allocate(std::size_t size) {
  ++count;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

void* allocate_aligned(std::size_t size, std::align_val_t alignment) {
  ++count;
  const auto align = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(align, (size + align - 1) / align * align)) return memory;
  throw std::bad_alloc();
}

}  // namespace

namespace vyre {

std::uint64_t allocation_count() { return count; }

}  // namespace vyre

// The array forms and the non-throwing ones come through these.
void* operator new(std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_aligned(size, alignment);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

#endif
