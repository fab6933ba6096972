#include "vyre/base/process/fork_watch.h"

#include <pthread.h>

#include <algorithm>

namespace vyre {

class ForkWatches {
 public:
  // Never destroyed: objects may outlive every static one.
  static ForkWatches& all() {
    static auto& watches = *new ForkWatches;
    return watches;
  }
  std::list<ForkWatch*>::iterator add(ForkWatch* watch) {
    const std::scoped_lock lock(mutex_);
    return watches_.insert(watches_.end(), watch);
  }
  void remove(std::list<ForkWatch*>::iterator place) {
    const std::scoped_lock lock(mutex_);
    watches_.erase(place);
  }

 private:
  ForkWatches() {
    ::pthread_atfork([] { all().before(); }, [] { all().after(&ForkWatch::Calls::in_parent); },
                     [] { all().after(&ForkWatch::Calls::in_child); });
  }
  // All are held at once, or none: while this thread waits for one of them, the thread that holds
  // it may wait for another, or for the list, to which it adds an object of its own.
  void before() {
    constexpr std::chrono::milliseconds kPatience{2'000}, kWithWork{50}, kAttempt{20};
    const auto begin = ForkPatience::Clock::now();
    while (true) {
      mutex_.lock();
      const auto now = ForkPatience::Clock::now();
      const bool is_last = now + kAttempt >= begin + kPatience;
      if (hold({.moments = now + kAttempt, .work = std::min(begin + kWithWork, now + kAttempt)},
               is_last)) {
        return;
      }
      mutex_.unlock();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  bool hold(const ForkPatience& patience, bool is_last) {
    for (auto at = watches_.rbegin(); at != watches_.rend(); ++at) {
      const auto& before = (*at)->calls_.before;
      if (!before || before(patience) || is_last) continue;
      // In the order in which a parent lets go: the last one first.
      for (auto held = at;; --held) {
        const ForkWatch::Calls& calls = (*held)->calls_;
        if (calls.before && calls.in_parent) calls.in_parent();
        if (held == watches_.rbegin()) return false;
      }
    }
    return true;
  }
  void after(std::function<void()> ForkWatch::Calls::* call) {
    for (const ForkWatch* watch : watches_) {
      if (watch->calls_.*call) (watch->calls_.*call)();
    }
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::list<ForkWatch*> watches_;
};

ForkWatch::ForkWatch(Calls calls)
    : calls_(std::move(calls)), place_(ForkWatches::all().add(this)) {}
ForkWatch::~ForkWatch() { ForkWatches::all().remove(place_); }

}  // namespace vyre
