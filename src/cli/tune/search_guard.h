// Ends the launches of a search when its time is over or a signal has come.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

namespace vyre {

// While an object and an InterruptGuard exist, a signal raises `stop`. If a device cannot be
// stopped, so that the process does not notice the signal, the process is ended by the signal after
// five seconds.
class SearchGuard {
 public:
  SearchGuard();
  SearchGuard(const SearchGuard&) = delete;
  SearchGuard& operator=(const SearchGuard&) = delete;
  ~SearchGuard();

  // Raises `stop` after this time, too, unless `release` is called before.
  void limit(std::chrono::nanoseconds time);
  void release();

  // For RunLimits: a launch on the CPU ends when it is raised.
  std::atomic<std::uint32_t>& stop() { return stop_; }
  bool out_of_time() const { return out_of_time_; }

 private:
  using Clock = std::chrono::steady_clock;
  void watch();

  std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false;
  std::optional<Clock::time_point> end_;
  std::atomic<std::uint32_t> stop_{0};
  std::atomic<bool> out_of_time_{false};
  std::thread thread_;  // last: it uses the rest
};

}  // namespace vyre
