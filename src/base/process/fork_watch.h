// Objects with threads or locks that must stay usable in a child of fork(2), where only the thread
// that forked lives on.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

namespace vyre {

// How long threads that fork wait for others. Where the time is over they fork all the same.
struct ForkPatience {
  using Clock = std::chrono::steady_clock;
  Clock::time_point moments;  // for what other threads do within moments, however busy the machine
  Clock::time_point work;     // for what may take them any time, such as a launch
};

// Says what to do around a fork. The last member of its object, so that it goes first.
class ForkWatch {
 public:
  struct Calls {
    // In the reverse order of construction, because who uses another object, and may hold its own
    // lock meanwhile, is made later. False: it could not hold still what it wanted to, and where
    // there is time, `in_parent` is called for this and all that went before, and the whole is
    // tried again a little later: another thread may be waiting for one of them.
    std::function<bool(const ForkPatience& patience)> before{};
    std::function<void()> in_parent{};
    std::function<void()> in_child{};  // no other thread is there yet
  };
  explicit ForkWatch(Calls calls);
  ForkWatch(const ForkWatch&) = delete;
  ForkWatch& operator=(const ForkWatch&) = delete;
  ~ForkWatch();

 private:
  friend class ForkWatches;
  const Calls calls_;
  std::list<ForkWatch*>::iterator place_;  // among all of the process
};

template <class T>
void make_anew(T& object) {
  new (&object) T;
}
// In a child, gives up an object that the child can neither use nor destroy, such as a thread that
// is not there.
template <class T>
void abandon(T& object) {
  static_cast<void>(new T(std::move(object)));
}

enum class HeldFor : std::uint8_t {
  moments,  // what it guards is whole in a child: whoever forks waits for the thread that holds it
  work,     // a launch, a compilation, or a disk: whoever forks waits a moment only
};

// Keeps a mutex usable in a child.
template <class Mutex>
class ForkGuard {
 public:
  explicit ForkGuard(Mutex& mutex, HeldFor held_for = HeldFor::moments)
      : mutex_(mutex), held_for_(held_for) {}

 private:
  bool hold(const ForkPatience& patience) {
    const auto deadline = held_for_ == HeldFor::work ? patience.work : patience.moments;
    while (!(held_ = mutex_.try_lock()) && ForkPatience::Clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    return held_ || held_for_ == HeldFor::work;
  }
  void let_go() {
    if (std::exchange(held_, false)) mutex_.unlock();
  }
  void begin_again() {
    held_ = false;
    make_anew(mutex_);
  }

  Mutex& mutex_;
  const HeldFor held_for_;
  bool held_ = false;  // by the thread that forks
  ForkWatch watch_{{.before = [this](const ForkPatience& patience) { return hold(patience); },
                    .in_parent = [this] { let_go(); },
                    .in_child = [this] { begin_again(); }}};
};

// A mutex with such a guard.
class ForkSafeMutex {
 public:
  explicit ForkSafeMutex(HeldFor held_for = HeldFor::moments) : guard_(mutex_, held_for) {}
  void lock() { mutex_.lock(); }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
  ForkGuard<std::mutex> guard_;
};

}  // namespace vyre
