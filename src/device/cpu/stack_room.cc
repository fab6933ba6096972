#include "vyre/device/cpu/stack_room.h"

#include <pthread.h>
#include <signal.h>

namespace vyre {
namespace {

// Smaller frames than this are not checked. Every thread has more room than that, and the first
// question for the bounds of a thread's stack takes tens of microseconds.
constexpr std::uint64_t kSmall = 32 << 10;
// For functions of the C library that generated code calls, signal handlers, and rounding.
constexpr std::uint64_t kReserve = 64 << 10;
constexpr std::uint64_t kLargest = std::uint64_t{1} << 40;

// The lowest address of this thread's stack; 0: not known. It uses the static TLS model, because
// other thread-local variables may allocate memory at their first use.
[[gnu::tls_model("initial-exec")]] constinit thread_local std::uintptr_t lowest = 0;

std::uintptr_t lowest_address() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* low = nullptr;
  std::size_t size = 0, guard = 0;
  const bool told = pthread_attr_getstack(&attributes, &low, &size) == 0 &&
                    pthread_attr_getguardsize(&attributes, &guard) == 0;
  pthread_attr_destroy(&attributes);
  return told ? reinterpret_cast<std::uintptr_t>(low) + guard : 0;
}

struct Call {
  void (*call)(const void* work);
  const void* work;
};

void* run_call(void* given) {
  const auto* c = static_cast<const Call*>(given);
  c->call(c->work);
  return nullptr;
}

}  // namespace

std::uint64_t stack_left() {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  // A program may run this on a stack that is not the thread's own, as coroutines do.
  if (lowest == 0 || here < lowest) lowest = lowest_address();
  return lowest == 0 || here < lowest ? 0 : here - lowest;
}

bool has_stack_for(std::uint64_t bytes) {
  return bytes <= kSmall || (bytes <= kLargest && bytes + kReserve <= stack_left());
}

bool run_on_new_stack(std::uint64_t bytes, void (*call)(const void* work), const void* work) {
  if (bytes > kLargest) return false;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  Call c{call, work};
  pthread_t thread{};
  // The new thread blocks all signals, because the program expects them on its own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  constexpr std::uint64_t kPage = 4096;
  const std::uint64_t size = (bytes + 2 * kReserve + kPage - 1) / kPage * kPage;
  const bool made = pthread_attr_setstacksize(&attributes, size) == 0 &&
                    pthread_create(&thread, &attributes, run_call, &c) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (made) pthread_join(thread, nullptr);
  return made;
}

}  // namespace vyre
