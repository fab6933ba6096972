#include "vyre/base/files/silent_disk_testing.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdarg>
#include <mutex>
#include <utility>

namespace vyre {
namespace {

struct State {
  std::mutex mutex;
  std::condition_variable changed;
  std::string name;  // empty: every disk answers
  int waiting = 0;

  void wait_for(const char* opened) {
    std::unique_lock lock(mutex);
    if (name.empty() || name != opened) return;
    ++waiting;
    changed.notify_all();
    changed.wait(lock, [&] { return name != opened; });
    --waiting;
  }
};

State& state() {
  static State& all = *new State;
  return all;
}

}  // namespace

SilentDisk::SilentDisk(std::string name) {
  const std::scoped_lock lock(state().mutex);
  state().name = std::move(name);
}

SilentDisk::~SilentDisk() {
  const std::scoped_lock lock(state().mutex);
  state().name.clear();
  state().changed.notify_all();
}

int SilentDisk::waiting() const {
  const std::scoped_lock lock(state().mutex);
  return state().waiting;
}

}  // namespace vyre

// In the place of the C library's.
extern "C" int openat(int folder, const char* name, int flags, ...) {
  vyre::state().wait_for(name);
  va_list rest;
  va_start(rest, flags);
  const int mode = va_arg(rest, int);  // rubbish where there is none, and of no effect
  va_end(rest);
  return static_cast<int>(syscall(SYS_openat, folder, name, flags, mode));
}
