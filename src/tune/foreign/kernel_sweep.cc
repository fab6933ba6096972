#include <algorithm>
#include <utility>

#include "vyre/base/sort.h"
#include "vyre/tune/foreign/kernel_sweep_internal.h"

namespace vyre {
namespace {

// A time that was not reported during this many other calls is given up, and a candidate without
// times is left out.
constexpr std::uint32_t kMaxAbandoned = 8;
constexpr std::uint32_t kMaxIdle = 4096;

}  // namespace

KernelSweep::KernelSweep(const std::vector<bool>& is_out) {
  for (std::uint32_t i = 0; i < is_out.size(); ++i) {
    rows_.push_back({.out = is_out[i]});
    order_.push_back(i);
  }
}

std::uint32_t KernelSweep::wanted() const {
  return 1 + (phase_ == Phase::all ? kFirstSamples : kFinalSamples);
}

bool KernelSweep::waits() const {
  return std::ranges::any_of(
      order_, [&](std::uint32_t i) { return !rows_[i].out && rows_[i].came < rows_[i].asked; });
}

void KernelSweep::advance() {
  std::erase_if(order_, [&](std::uint32_t i) { return rows_[i].out || rows_[i].times_ns.empty(); });
  if (phase_ == Phase::finalists) {
    phase_ = Phase::over;
    return;
  }
  sort_stably(order_, [&](std::uint32_t i) { return median_ns(i); });
  if (order_.size() > kFinalists) order_.resize(kFinalists);
  phase_ = order_.empty() ? Phase::over : Phase::finalists;
}

std::optional<std::uint32_t> KernelSweep::next() {
  while (phase_ != Phase::over) {
    std::optional<std::uint32_t> least;
    for (const std::uint32_t i : order_) {
      const Row& row = rows_[i];
      if (row.out || row.asked >= wanted()) continue;
      if (!least || row.asked < rows_[*least].asked) least = i;
    }
    if (least) {
      ++rows_[*least].asked;
      return least;
    }
    if (waits() && ++idle_ < kMaxIdle) return std::nullopt;
    idle_ = 0;
    advance();
  }
  return std::nullopt;
}

void KernelSweep::report(std::uint32_t candidate, double ns) {
  Row& row = rows_[candidate];
  idle_ = 0;
  if (row.came++ > 0) {
    row.times_ns.push_back(ns);
  } else {
    row.first_ns = ns;
  }
}

void KernelSweep::abandon(std::uint32_t candidate) {
  Row& row = rows_[candidate];
  idle_ = 0;
  --row.asked;
  if (++row.abandoned == kMaxAbandoned) row.out = true;
}

void KernelSweep::take_back(std::uint32_t candidate) { --rows_[candidate].asked; }

void KernelSweep::drop(std::uint32_t candidate) {
  rows_[candidate].out = true;
  rows_[candidate].times_ns.clear();
  rows_[candidate].taken = 0;
}

std::optional<std::uint32_t> KernelSweep::winner() const {
  std::optional<std::uint32_t> best;
  for (const std::uint32_t i : order_) {
    if (rows_[i].out || rows_[i].times_ns.empty()) continue;
    if (!best || median_ns(i) < median_ns(*best)) best = i;
  }
  return best;
}

const std::vector<double>& KernelSweep::times_ns(std::uint32_t candidate) const {
  return rows_[candidate].times_ns;
}

std::vector<double> KernelSweep::take_times(std::uint32_t candidate, bool all) {
  Row& row = rows_[candidate];
  if (row.out) return {};
  if (all && row.times_ns.empty() && row.first_ns) return {*std::exchange(row.first_ns, {})};
  const auto from = row.times_ns.begin() + static_cast<std::ptrdiff_t>(row.taken);
  row.taken = row.times_ns.size();
  return {from, row.times_ns.end()};
}

double KernelSweep::median_ns(std::uint32_t candidate) const {
  std::vector<double> times = rows_[candidate].times_ns;
  if (times.empty()) return 0;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

}  // namespace vyre
