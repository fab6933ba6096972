#include <algorithm>

#include "vyre/engine/tuned/compile_cost_internal.h"

namespace vyre {
namespace {

constexpr double kSlowed = 1.1;  // a call that takes this many times as long as usual was slowed
// The compiler can at most take every second slice of a processor. A call that takes more than
// twice as long was held up by something else.
constexpr double kMostSlowed = 2;
// A busy machine makes the share grow at once; a calm one makes it fall by this factor at a time,
// and not below kLeastShare.
constexpr double kFalls = 0.6, kLeastShare = 0.1;
// Code that was found in the cache took less of the compiler's time, and tells nothing.
constexpr double kTells = 0.25;

}  // namespace

void CompileCost::compiled(double work_ns) {
  const bool is_first = compile_ns_.exchange(work_ns) == 0;
  longest_ns_ = is_first ? work_ns : std::max(longest_ns_.load(), work_ns);
}

void CompileCost::add_call(double usual_ns, double ns) {
  if (!(usual_ns > 0) || ns <= kSlowed * usual_ns) return;
  slowed_ns_.fetch_add(std::min(ns, kMostSlowed * usual_ns) - usual_ns);
}

double CompileCost::take_lost(double work_ns) {
  const double lost_ns = std::min(slowed_ns_.exchange(0), std::max(work_ns, 0.0));
  if (work_ns > 0 && work_ns >= kTells * longest_ns_) {
    share_ = std::max({lost_ns / work_ns, kFalls * share_, kLeastShare});
  }
  return lost_ns;
}

}  // namespace vyre
