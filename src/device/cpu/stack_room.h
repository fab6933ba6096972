// Stack for generated code: that of the calling thread, or one made to measure.
#pragma once

#include <cstdint>

namespace vyre {

// Bytes of the calling thread's stack below this call; 0: the system does not tell.
std::uint64_t stack_left();

// Runs the work where its frames of `bytes` in all, and some of the C library, fit: on this thread,
// or on a new one with a stack of that size while this one waits. False, with nothing run: the
// system gives no thread with such a stack. The work must not throw.
template <class Work>
bool run_with_stack(std::uint64_t bytes, const Work& work);

// The parts of it that do not depend on the work.
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
