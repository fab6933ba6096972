#include "vyre/cli/interrupt.h"

#include <array>
#include <csignal>
#include <cstddef>

namespace vyre {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
volatile std::sig_atomic_t remembered = 0;
volatile std::sig_atomic_t at_once = 0;
std::array<struct sigaction, kSignals.size()> before;

std::atomic<std::uint32_t> flag{0};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);  // a signal handler may set it

void remember(int signal) {
  remembered = signal;
  if (at_once != 0) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  flag.store(1, std::memory_order_relaxed);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  flag = remembered != 0 ? 1 : 0;  // the deadline of a run before this one may have set it
  struct sigaction action{};
  action.sa_handler = remember;
  // A second Ctrl-C ends the process at once.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before[i]);
    // Signals that the parent ignores (nohup) stay ignored.
    if (before[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &before[i], nullptr);
  }
}

EndAtOnce::EndAtOnce() {
  at_once = 1;
  end_by_signal();  // one that came before
}
EndAtOnce::~EndAtOnce() { at_once = 0; }

int interrupting_signal() { return remembered; }
std::atomic<std::uint32_t>& interrupt_flag() { return flag; }

void end_by_signal() {
  if (remembered == 0) return;
  const int signal = remembered;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace vyre
