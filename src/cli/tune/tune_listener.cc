#include "vyre/cli/tune/tune_listener.h"

#include <algorithm>
#include <limits>
#include <span>

#include "vyre/tune/online/online_policy_statistics.h"

namespace vyre {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kUnlisted = std::numeric_limits<std::uint32_t>::max();

double ns_of(Clock::duration d) {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(d).count());
}

// As candidate_time.h has it for a candidate without pairs.
double recent_median(std::span<const double> times) {
  return median_of(times.last(std::min(times.size(), kRecentSamples)));
}

std::string_view stage_word(CandidateStage stage) {
  switch (stage) {
    case CandidateStage::unmade: return "unmade";
    case CandidateStage::making: return "making";
    case CandidateStage::made: return "made";
    case CandidateStage::verified: return "verified";
    case CandidateStage::dropped: return "dropped";
  }
  return "";
}

}  // namespace

TuneObserver TuneListener::observer() {
  return {.call =
              [this](const TunedCall& call) {
                take(call);
                if (heard) heard();
              },
          .span =
              [this](const TunerSpan& span) {
                take(span);
                if (heard) heard();
              }};
}

void TuneListener::take(const TunedCall& call) {
  const std::scoped_lock lock(mutex_);
  const double at = ns_of(call.at - origin_);
  if (times_.size() <= call.candidate) times_.resize(call.candidate + 1);
  times_[call.candidate].push_back(call.ns);
  points_.push_back({.seconds = at / 1e9,
                     .call = points_.size(),
                     .candidate = call.candidate,
                     .ns = call.ns,
                     .probe = call.probe,
                     .incumbent = call.incumbent,
                     .incumbent_ns = call.incumbent_ns,
                     .lost_ns = call.ledger.lost_ns,
                     .bound_ns = call.ledger.bound_ns});
  if (sweeps) {
    follow_best(call.candidate);
    points_.back().incumbent = best_.candidate;
    points_.back().incumbent_ns = best_.ns;
  }
  spans_.push_back({.kind = Kind::call,
                    .candidate = call.candidate,
                    .start_ns = at - call.ns,
                    .duration_ns = call.ns,
                    .outcome = call.probe ? "probe" : "incumbent"});
}

void TuneListener::take(const TunerSpan& span) {
  const std::scoped_lock lock(mutex_);
  spans_.push_back({.kind = span.kind == TunerSpan::Kind::compile ? Kind::compile : Kind::verify,
                    .candidate = span.candidate,
                    .start_ns = ns_of(span.begin - origin_),
                    .duration_ns = ns_of(span.end - span.begin),
                    .outcome = span.outcome});
}

std::size_t TuneListener::tried() const {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(times_, [](const auto& t) { return !t.empty(); }));
}

TuneListener::Best TuneListener::best() const {
  const std::scoped_lock lock(mutex_);
  return best_;
}

// A time of the candidate was added.
void TuneListener::follow_best(std::uint32_t candidate) {
  const double ns = recent_median(times_[candidate]);
  if (best_.ns == 0 || ns <= best_.ns) {
    best_ = {candidate, ns};
    return;
  }
  if (candidate != best_.candidate) return;
  // A second look may show it slower than it seemed.
  best_ = {};
  for (std::uint32_t i = 0; i < times_.size(); ++i) {
    const double other = recent_median(times_[i]);
    if (other > 0 && (best_.ns == 0 || other < best_.ns)) best_ = {i, other};
  }
}

std::vector<std::uint32_t> TuneListener::places(const TuningView& view) const {
  std::vector<std::uint32_t> out(view.candidates.size(), kUnlisted);
  std::uint32_t listed = 0;
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    const bool known = (i < times_.size() && !times_[i].empty()) ||
                       !view.candidates[i].dropped.empty() || view.candidates[i].time.ns > 0;
    const bool named = i == view.start || i == view.incumbent || i == view.declared;
    if (known || named || out.size() <= kMostListed) out[i] = listed++;
  }
  return out;
}

void TuneListener::fill(const TuningView& view, TuneRecord& record) const {
  const std::scoped_lock lock(mutex_);
  record.key = key_id(view.key);
  record.reason = view.reason;
  record.origin = view.origin.text;
  record.untunable = view.untunable;
  record.left_out = view.left_out;
  record.settled = view.settled;
  record.ledger = {.spent_ns = view.ledger.spent_ns,
                   .lost_ns = view.ledger.lost_ns,
                   .bound_ns = view.ledger.bound_ns,
                   .share = 0,
                   .doubted_ns = view.ledger.doubted_ns,
                   .disturbed_ns = view.ledger.disturbed_ns};
  const std::vector<std::uint32_t> place = places(view);
  for (std::size_t i = 0; i < view.candidates.size(); ++i) {
    if (place[i] == kUnlisted) {
      ++record.unlisted;
      continue;
    }
    const CandidateView& c = view.candidates[i];
    CandidateRecord out;
    out.text = c.text;
    if (auto parameters = parse_configuration(c.text)) out.parameters = *std::move(parameters);
    out.prior_ns = i < view.prior_ns.size() ? view.prior_ns[i] : 0;
    if (i < times_.size()) out.samples_ns = times_[i];
    out.time = c.time;
    out.stage = stage_word(c.stage);
    out.dropped = c.dropped;
    out.verified = c.stage == CandidateStage::verified;
    record.candidates.push_back(std::move(out));
  }
  const auto text = [&](std::uint32_t i) { return view.candidates[i].text; };
  record.decision = text(view.incumbent);
  record.start.candidate = text(view.start);
  if (view.declared) record.declared.candidate = text(*view.declared);
  record.chosen.candidate = record.decision;
  double began_ns = spans_.empty() ? 0 : spans_.front().start_ns;
  for (const Span& span : spans_) began_ns = std::min(began_ns, span.start_ns);
  for (CallPoint point : points_) {
    point.seconds -= began_ns / 1e9;
    if (point.candidate >= place.size() || point.incumbent >= place.size()) continue;
    point.candidate = place[point.candidate];
    point.incumbent = place[point.incumbent];
    record.calls.push_back(point);
  }
  if (!record.calls.empty()) {
    record.calls.back().incumbent = place[view.incumbent];
    record.calls.back().incumbent_ns = view.candidates[view.incumbent].time.ns;
  }
  for (const Span& s : spans_) {
    record.spans.push_back(
        {.name = s.candidate < view.candidates.size() ? view.candidates[s.candidate].text : "",
         .track = s.kind == Kind::call      ? "calls"
                  : s.kind == Kind::compile ? "compile"
                                            : "verify",
         .start_ns = s.start_ns,
         .duration_ns = s.duration_ns,
         .arguments = {}});
    if (!s.outcome.empty()) record.spans.back().arguments.emplace_back("outcome", s.outcome);
  }
}

}  // namespace vyre
