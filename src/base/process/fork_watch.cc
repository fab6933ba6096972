#include "vyre/base/process/fork_watch.h"

#include <pthread.h>

#include <ranges>

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
  void before() {
    constexpr std::chrono::milliseconds kPatience{50};
    mutex_.lock();
    const auto deadline = ForkWatch::Clock::now() + kPatience;
    for (const ForkWatch* watch : watches_ | std::views::reverse) {
      if (watch->calls_.before) watch->calls_.before(deadline);
    }
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
