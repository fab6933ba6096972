#include "measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

namespace vyre::bench {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Of all threads of this process together.
double processor_ms() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

double time_of(Implementation& side, TimedBy clock) {
  if (clock == TimedBy::processor) {
    const double before = processor_ms();
    side.run();
    return processor_ms() - before;
  }
  const auto before = Clock::now();
  side.run();
  return ms_since(before);
}

double at_fraction(const std::vector<double>& sorted, double fraction) {
  return sorted[static_cast<std::size_t>(fraction * static_cast<double>(sorted.size() - 1))];
}

Timing timing_of(std::vector<double> ms) {
  std::ranges::sort(ms);
  return {median(ms), at_fraction(ms, 0.25), at_fraction(ms, 0.75)};
}

void refresh(const Problem& p, Implementation& side) {
  for (std::size_t i = 0; i < p.buffers.size(); ++i) {
    if (p.buffers[i].role == Role::output) side.write(i, p.buffers[i].initial);
  }
}

std::string wrong_result(const Problem& p, Implementation& side) {
  side.run();
  Outputs outputs(p.buffers.size());
  for (std::size_t i = 0; i < p.buffers.size(); ++i) {
    if (p.buffers[i].role == Role::output) outputs[i] = side.read(i);
  }
  return p.check(outputs);
}

constexpr const char* kPeerNames[kPeers] = {"vyre", "PoCL", "plain C++", "C++ by hand"};

}  // namespace

Measured measure(const Problem& p, const Sides& sides, double seconds, TimedBy clock) {
  Measured out;
  out.name = p.name;
  out.has_barriers = p.has_barriers;
  for (std::size_t peer = 0; peer < kPeers; ++peer) {
    out.missing[peer] = sides[peer].why_not;
    if (!sides[peer].implementation) continue;
    const auto wrong = wrong_result(p, *sides[peer].implementation);
    if (!wrong.empty()) {
      out.problem = fmt::format("{} gives a wrong result: {}", kPeerNames[peer], wrong);
      return out;
    }
  }
  if (!sides[kVyre].implementation) {
    out.problem = out.missing[kVyre];
    return out;
  }

  std::vector<double> ms[kPeers];
  const auto start = Clock::now();
  constexpr std::size_t kLeastRounds = 7;
  while (out.rounds < kLeastRounds || ms_since(start) < seconds * 1000) {
    // Who comes after whom changes from round to round: a peer that sleeps leaves a rested thread
    // behind, one that does not leaves its time used up.
    for (std::size_t turn = 0; turn < kPeers; ++turn) {
      const std::size_t peer = out.rounds % 2 == 0 ? (turn + out.rounds / 2) % kPeers
                                                   : (2 * kPeers - turn + out.rounds / 2) % kPeers;
      if (!sides[peer].implementation) continue;
      Implementation& side = *sides[peer].implementation;
      if (p.fresh_data) refresh(p, side);
      ms[peer].push_back(time_of(side, clock));
    }
    ++out.rounds;
  }
  for (std::size_t peer = 0; peer < kPeers; ++peer) {
    if (ms[peer].empty()) continue;
    std::vector<double> ratios;
    ratios.reserve(out.rounds);
    for (std::size_t i = 0; i < out.rounds; ++i) ratios.push_back(ms[peer][i] / ms[kVyre][i]);
    out.ratio[peer] = median(std::move(ratios));
    out.times[peer] = timing_of(ms[peer]);
  }
  return out;
}

}  // namespace vyre::bench
