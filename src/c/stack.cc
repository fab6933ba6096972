#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "vyre/c/stack_internal.h"

namespace vyre {
namespace {

constexpr std::size_t kEnough = std::size_t{3} << 20;
constexpr std::size_t kLarge = std::size_t{16} << 20;

struct Call {
  void (*function)(void*);
  void* argument;
};

void* run(void* given) {
  const Call& call = *static_cast<const Call*>(given);
  call.function(call.argument);
  return nullptr;
}

}  // namespace

bool stack_is_short() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
  void* lowest = nullptr;
  std::size_t size = 0;
  const int status = pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  if (status != 0) return false;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto end = reinterpret_cast<std::uintptr_t>(lowest);
  // A stack that does not contain us is that of a coroutine: nothing is known about it.
  if (here < end || here > end + size) return true;
  return here - end < kEnough;
}

bool run_on_large_stack(void (*function)(void*), void* argument) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setstacksize(&attributes, kLarge);
  Call call{function, argument};
  // The other thread works with what lies on this stack: this one waits, whatever happens.
  int cancelling = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
  pthread_t thread{};
  const bool made = pthread_create(&thread, &attributes, run, &call) == 0;
  if (made) pthread_join(thread, nullptr);
  pthread_setcancelstate(cancelling, nullptr);
  pthread_attr_destroy(&attributes);
  return made;
}

}  // namespace vyre
