// Lets long runs test whether Ctrl-C was pressed.
#pragma once

#include <atomic>
#include <cstdint>

namespace vyre {

// While an object exists, SIGINT, SIGTERM and SIGHUP are remembered instead of ending the process.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();
};

// While an object exists, such a signal ends the process at once after all. It is for work that
// cannot be stopped half-way and leaves nothing behind, such as compiling.
class EndAtOnce {
 public:
  EndAtOnce();
  EndAtOnce(const EndAtOnce&) = delete;
  EndAtOnce& operator=(const EndAtOnce&) = delete;
  ~EndAtOnce();
};

// The signal that was remembered, or 0.
int interrupting_signal();
// Set to 1 by the signal. A deadline may set it as well.
std::atomic<std::uint32_t>& interrupt_flag();

// Ends the process by the remembered signal, so that whoever waits for the process sees the signal.
// Does nothing if there is none.
void end_by_signal();

}  // namespace vyre
