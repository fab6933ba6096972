// Sets flags when a launch has run too long. Its thread starts with the first deadline.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "vyre/base/error.h"
#include "vyre/base/process/fork_watch.h"

namespace vyre {

class Watchdog {
 public:
  using Clock = std::chrono::steady_clock;

  Watchdog() = default;
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  using Flags = std::array<std::atomic<std::uint32_t>*, 2>;
  // The value that the watchdog sets a flag to. Anybody who stops a launch for another reason sets
  // another value, so that the watchdog's value can be removed after a deadline without losing that
  // stop.
  static constexpr std::uint32_t kRaised = 2;

  // Raises the flags that are 0 at `when`, unless disarmed before; they must stay valid until then.
  // Code::out_of_memory if the system gives no thread.
  Result<std::uint64_t> arm(Clock::time_point when, Flags flags);
  // After this call the flags are not accessed.
  void disarm(std::uint64_t id);

  // Flags that are disarmed at the end of the scope.
  class Guard {
   public:
    explicit Guard(Watchdog& watchdog) : watchdog_(watchdog) {}
    ~Guard() { disarm(); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    Result<void> arm(Clock::time_point when, Flags flags);  // at most once
    bool disarm() {                                         // whether it was armed
      const auto id = std::exchange(id_, 0);
      if (id != 0) watchdog_.disarm(id);
      return id != 0;
    }

   private:
    Watchdog& watchdog_;
    std::uint64_t id_ = 0;
  };

 private:
  struct Entry {
    Clock::time_point when;
    Flags flags;
  };

  void watch();
  void begin_again();  // in a child of fork(2): nothing of its parent runs there

  ForkSafeMutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::uint64_t, Entry> entries_;
  std::uint64_t next_id_ = 1;
  bool ending_ = false;
  std::thread thread_;
  ForkWatch fork_watch_{{.in_child = [this] { begin_again(); }}};
};

}  // namespace vyre
