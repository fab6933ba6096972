// Stack for generated code: the calling thread's stack, or that of a new thread with a stack of the
// required size.
#pragma once

#include <cstdint>

namespace vyre {

// Bytes of the calling thread's stack below this call; 0: the system does not tell.
std::uint64_t stack_left();

// Runs work whose frames take `bytes` in all, on a stack that has room for them and for some frames
// of the C library: that of this thread, or of a new thread for which this one waits. False: the
// system gives no thread with such a stack, and nothing has run. The work must not throw.
template <class Work>
bool run_with_stack(std::uint64_t bytes, const Work& work);

// The parts of this function that do not depend on the type of the work.
bool has_stack_for(std::uint64_t bytes);
bool run_on_new_stack(std::uint64_t bytes, void (*call)(const void* work), const void* work);

template <class Work>
bool run_with_stack(std::uint64_t bytes, const Work& work) {
  if (!has_stack_for(bytes)) {
    const auto call = [](const void* w) { (*static_cast<const Work*>(w))(); };
    return run_on_new_stack(bytes, call, &work);
  }
  work();
  return true;
}

}  // namespace vyre
