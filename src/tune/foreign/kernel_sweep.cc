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

KernelSweep::KernelSweep(const std::vector<bool>& is_out, std::uint32_t favourite,
                         FinalsOptions options, EarlierFinals earlier)
    : favourite_(favourite), options_(options), earlier_(std::move(earlier)) {
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
  sort_stably(order_, [&](std::uint32_t i) { return std::pair(i != favourite_, median_ns(i)); });
  if (phase_ == Phase::finalists) return begin_pairs();
  if (order_.size() > kFinalists + 1) order_.resize(kFinalists + 1);
  phase_ = order_.empty() ? Phase::over : Phase::finalists;
}

void KernelSweep::begin_pairs() {
  const bool has_favourite = !order_.empty() && order_.front() == favourite_;
  phase_ = has_favourite && order_.size() > 1 ? Phase::pairs : Phase::over;
  if (!has_favourite) return;
  finals_.emplace(favourite_, std::vector(order_.begin() + 1, order_.end()), options_, earlier_);
}

std::optional<std::uint32_t> KernelSweep::next_of_pairs() {
  const auto candidate = finals_->next();
  if (finals_->finished()) phase_ = Phase::over;
  if (candidate || phase_ == Phase::over || ++idle_ < kMaxIdle) return candidate;
  idle_ = 0;
  finals_->abandon();
  if (++silent_ == kMaxAbandoned) phase_ = Phase::over;
  return std::nullopt;
}

std::optional<std::uint32_t> KernelSweep::next() {
  while (phase_ != Phase::over) {
    if (phase_ == Phase::pairs) return next_of_pairs();
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
  idle_ = silent_ = 0;
  if (phase_ == Phase::pairs) finals_->report(candidate, ns);
  if (row.came++ > 0) {
    row.times_ns.push_back(ns);
  } else {
    row.first_ns = ns;
  }
}

void KernelSweep::abandon(std::uint32_t candidate) {
  Row& row = rows_[candidate];
  idle_ = 0;
  if (phase_ == Phase::pairs) {
    finals_->abandon();
  } else {
    --row.asked;
  }
  if (++row.abandoned == kMaxAbandoned) {
    row.out = true;
    if (finals_) finals_->drop(candidate);
  }
}

void KernelSweep::take_back(std::uint32_t candidate) {
  if (phase_ == Phase::pairs) {
    finals_->take_back(candidate);
  } else {
    --rows_[candidate].asked;
  }
}

void KernelSweep::drop(std::uint32_t candidate) {
  if (finals_) finals_->drop(candidate);
  rows_[candidate].out = true;
  rows_[candidate].times_ns.clear();
  rows_[candidate].taken = 0;
}

std::optional<FinalsResult> KernelSweep::result() const {
  if (finals_ && !rows_[favourite_].out) return finals_->result();
  std::optional<std::uint32_t> best;
  for (const std::uint32_t i : order_) {
    if (rows_[i].out || rows_[i].times_ns.empty()) continue;
    if (!best || median_ns(i) < median_ns(*best)) best = i;
  }
  if (!best) return std::nullopt;
  return FinalsResult{.winner = *best, .favourite = favourite_};
}

std::vector<EvidenceEvent> KernelSweep::compared(std::span<const std::string> texts) const {
  return finals_ ? finals_->events(texts) : std::vector<EvidenceEvent>();
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
