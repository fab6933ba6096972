// Objects with threads or locks that must stay usable in a child of fork(2), where only the thread
// that forked lives on.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

namespace vyre {

// Says what to do around a fork. The last member of its object, so that it goes first.
class ForkWatch {
 public:
  using Clock = std::chrono::steady_clock;
  struct Calls {
    // In the reverse order of construction, because who uses another object, and may hold its own
    // lock meanwhile, is made later. Returns by about the deadline: whoever forks waits.
    std::function<void(Clock::time_point deadline)> before{};
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

// Keeps a mutex usable in a child. Whoever forks waits for the thread that holds it, so that what
// it guards is whole in the child; but only a moment: a mutex that is held for long, as during a
// launch, guards nothing that a child must find whole.
template <class Mutex>
class ForkGuard {
 public:
  explicit ForkGuard(Mutex& mutex) : mutex_(mutex) {}

 private:
  void hold(ForkWatch::Clock::time_point deadline) {
    while (!(held_ = mutex_.try_lock()) && ForkWatch::Clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  void let_go() {
    if (std::exchange(held_, false)) mutex_.unlock();
  }
  void begin_again() {
    held_ = false;
    make_anew(mutex_);
  }

  Mutex& mutex_;
  bool held_ = false;  // by the thread that forks
  ForkWatch watch_{{.before = [this](auto deadline) { hold(deadline); },
                    .in_parent = [this] { let_go(); },
                    .in_child = [this] { begin_again(); }}};
};

// A mutex with such a guard.
class ForkSafeMutex {
 public:
  void lock() { mutex_.lock(); }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
  ForkGuard<std::mutex> guard_{mutex_};
};

}  // namespace vyre
