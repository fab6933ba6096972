// Ends what a search runs when its time is up or a signal came.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

namespace vyre {

// While one exists and an InterruptGuard with it, a signal raises `stop`. A device that cannot be
// stopped may keep the process from noticing: it then ends by the signal after five seconds.
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
