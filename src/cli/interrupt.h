// Ctrl-C as a question that a long run can ask.
#pragma once

namespace vyre {

// While one exists, SIGINT, SIGTERM and SIGHUP are remembered instead of ending the process.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();
};

// The signal that was remembered, or 0.
int interrupting_signal();

}  // namespace vyre
