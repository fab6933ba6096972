// Ctrl-C as a question that a long run can ask.
#pragma once

#include <atomic>
#include <cstdint>

namespace vyre {

// While one exists, SIGINT, SIGTERM and SIGHUP are remembered instead of ending the process.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();
};

// While one exists, such a signal ends the process at once after all: for work that cannot be
// stopped half-way and leaves nothing behind, such as compiling.
class EndAtOnce {
 public:
  EndAtOnce();
  EndAtOnce(const EndAtOnce&) = delete;
  EndAtOnce& operator=(const EndAtOnce&) = delete;
  ~EndAtOnce();
};

// The signal that was remembered, or 0.
int interrupting_signal();
// Becomes 1 with the signal; a deadline may set it too.
std::atomic<std::uint32_t>& interrupt_flag();

// Ends the process by the remembered signal, as far as anyone who waits for it is concerned. Does
// nothing when there is none.
void end_by_signal();

}  // namespace vyre
