// Measures all candidates one after another, in the calls that a program makes anyway: what the
// mode `on` does with kernels that only the program can run. Plain computation. It cannot share the
// loop of engine/tuned/sweep.cc, which runs the kernels itself, on copies, in a row, and takes as
// long as its budget says: here each time comes with a call that the program makes when it likes,
// perhaps late or not at all.
//
// Every candidate runs once to warm up and then kFirstSamples times, in rounds, so that a change of
// the machine's speed affects them all; the best kFinalists continue to kFinalSamples. These times
// choose nobody: the finalists then meet the first choice in pairs of calls (paired_finals.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vyre/tune/online/paired_finals.h"

namespace vyre {

class KernelSweep {
 public:
  static constexpr std::uint32_t kFirstSamples = 3;
  static constexpr std::uint32_t kFinalSamples = 9;
  static constexpr std::size_t kFinalists = 8;

  // Rejected candidates are not run. `favourite` is what others must be faster than.
  KernelSweep(const std::vector<bool>& is_out, std::uint32_t favourite, FinalsOptions options,
              EarlierFinals earlier = {});

  // The candidate to run now; absent at the end, and while the last times of a round are missing.
  std::optional<std::uint32_t> next();
  void report(std::uint32_t candidate, double ns);
  void abandon(std::uint32_t candidate);
  void take_back(std::uint32_t candidate);  // it was not run
  void drop(std::uint32_t candidate);

  bool finished() const { return phase_ == Phase::over; }
  // The favourite, if no other was proved faster; where it was rejected, the candidate with the
  // least median. Absent if none was timed or all are rejected.
  std::optional<FinalsResult> result() const;
  // The pairs, for the evidence.
  std::vector<EvidenceEvent> compared(std::span<const std::string> texts) const;
  const std::vector<double>& times_ns(std::uint32_t candidate) const;
  double median_ns(std::uint32_t candidate) const;  // 0: not measured
  // The times that have come since the last call. `all`: includes the warm-up time if there is no
  // other.
  std::vector<double> take_times(std::uint32_t candidate, bool all);

 private:
  enum class Phase : std::uint8_t { all, finalists, pairs, over };
  struct Row {
    bool out = false;
    std::uint32_t asked = 0;  // runs that were asked for, the first one included
    std::uint32_t came = 0;   // runs whose time was reported
    std::uint32_t abandoned = 0;
    std::optional<double> first_ns{};  // the warm-up time, until it is taken
    std::vector<double> times_ns{};
    std::size_t taken = 0;  // how many of times_ns take_times() has returned
  };
  std::uint32_t wanted() const;
  bool waits() const;  // whether times are missing
  void advance();
  void begin_pairs();
  std::optional<std::uint32_t> next_of_pairs();

  const std::uint32_t favourite_;
  const FinalsOptions options_;
  const EarlierFinals earlier_;
  std::optional<PairedFinals> finals_;
  Phase phase_ = Phase::all;
  std::vector<std::uint32_t> order_;  // the candidates of this phase
  std::uint32_t idle_ = 0;            // calls since the last reported time
  std::uint32_t silent_ = 0;          // consecutive pairs for which a time was never reported
  std::vector<Row> rows_;
};

}  // namespace vyre
