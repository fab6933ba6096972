#include "vyre/cli/tune/search_guard.h"

#include "vyre/cli/interrupt.h"

namespace vyre {
namespace {

constexpr std::chrono::milliseconds kLookEvery{20};
constexpr std::chrono::seconds kPatience{5};

}  // namespace

SearchGuard::SearchGuard() : thread_([this] { watch(); }) {}

SearchGuard::~SearchGuard() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void SearchGuard::limit(std::chrono::nanoseconds time) {
  const std::scoped_lock lock(mutex_);
  end_ = Clock::now() + time;
}

void SearchGuard::release() {
  const std::scoped_lock lock(mutex_);
  end_.reset();
  stop_ = interrupting_signal() != 0 ? 1 : 0;
}

void SearchGuard::watch() {
  std::optional<Clock::time_point> interrupted;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kLookEvery, [&] { return ending_; })) {
    const auto now = Clock::now();
    if (interrupting_signal() != 0) {
      stop_ = 1;
      if (!interrupted) interrupted = now;
      if (now - *interrupted > kPatience) end_by_signal();
    } else if (end_ && now > *end_) {
      out_of_time_ = true;
      stop_ = 1;
    }
  }
}

}  // namespace vyre
