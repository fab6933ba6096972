// Collects the events of a tuning run for the progress line and the report.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "vyre/engine/tuned/tuning.h"
#include "vyre/report/tune_record.h"

namespace vyre {

class TuneListener {
 public:
  explicit TuneListener(std::chrono::steady_clock::time_point origin) : origin_(origin) {}

  // Safe for several threads at once. It must not outlive the listener.
  TuneObserver observer();
  // Called after each event, on the thread that reports the event.
  std::function<void()> heard;
  // In a sweep nothing is promoted before the end: each call has the fastest so far in place of the
  // incumbent.
  bool sweeps = false;

  std::size_t tried() const;  // candidates that were timed
  struct Best {
    std::uint32_t candidate = 0;
    double ns = 0;  // 0: nothing was timed yet
  };
  Best best() const;  // of a sweep, by the median of its last times

  // The result with all events. If there are more than kMostListed candidates, those that were not
  // tried are only counted.
  static constexpr std::size_t kMostListed = 1000;
  void fill(const TuningView& view, TuneRecord& record) const;

 private:
  enum class Kind : std::uint8_t { call, compile, verify };
  struct Span {
    Kind kind = Kind::call;
    std::uint32_t candidate = 0;
    double start_ns = 0, duration_ns = 0;
    std::string outcome;
  };

  void take(const TunedCall& call);
  void take(const TunerSpan& span);
  void follow_best(std::uint32_t candidate);
  // Which candidates are listed, and where; kUnlisted for others.
  std::vector<std::uint32_t> places(const TuningView& view) const;

  const std::chrono::steady_clock::time_point origin_;
  mutable std::mutex mutex_;
  std::vector<std::vector<double>> times_;
  Best best_;
  std::vector<CallPoint> points_;  // their seconds count from the origin
  std::vector<Span> spans_;
};

}  // namespace vyre
