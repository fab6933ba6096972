// Runs a prepared pipeline as a whole: if no round waits for the host, the launches of all rounds
// are known before the first one begins, and one call gives them to a device that takes recordings.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vyre/base/arithmetic.h"
#include "vyre/engine/pipeline/prepared_pipeline.h"

namespace vyre {

// The most recordings of one pipeline: each run may begin with the names in another order.
constexpr std::size_t kMostPlays = 16;

std::string PreparedPipeline::why_not_whole() const {
  for (const PlannedLaunch& launch : plan_->launches) {
    if (launch.grid) return "grids in buffers are looked at between the launches";
  }
  std::uint64_t launches = plan_->launches.size();
  for (const PlannedLoop& loop : plan_->loops) {
    const ReadyLoop& its = ready_->loops[loop.loop];
    if (its.until) {
      return fmt::format("the condition of the loop '{}' is looked at after each round", its.name);
    }
    launches = saturating_add(launches, saturating_mul(its.most, loop.launch_count));
  }
  // On a device that gains nothing from recordings, rounds are run one by one. After a failure the
  // names then stand as after the last complete round.
  if (!plan_->loops.empty() && !in_bands_ && !session_.device().launch_costs().plays_at_once) {
    return "this device runs a launch as soon as it is told";
  }
  if (launches <= kMostWholeLaunches) return "";
  return fmt::format("a run has {} launches; a recording has {} at most", launches,
                     kMostWholeLaunches);
}

PreparedPipeline::WholePlay PreparedPipeline::make_whole_play() const {
  WholePlay out{.from = order_, .to = order_, .steps = {}};
  std::vector<PlayStep> steps;
  std::vector<Buffer> cleared;  // before the next launch
  const auto clear = [&](std::span<const std::size_t> buffers) {
    for (const std::size_t b : buffers) {
      if (plan_->buffers[b].memory) cleared.push_back(place_in(out.to, b));
    }
  };
  const auto add = [&](std::size_t first, std::size_t count) {
    for (std::size_t l = first; l < first + count; ++l) {
      if (!steps_[l].clears_itself) clear(plan_->launches[l].cleared);
      steps.push_back({std::exchange(cleared, {}), dispatch_in(out.to, steps_[l]),
                       in_bands_ ? reach_[l] : nullptr,
                       plan_->launches[l].boundary == LaunchBoundary::host_looks});
    }
  };
  std::size_t next = 0;
  for (const PlannedLoop& loop : plan_->loops) {
    add(next, loop.first_launch - next);
    next = loop.first_launch + loop.launch_count;
    clear(loop.cleared);
    for (std::uint64_t round = 0; round < ready_->loops[loop.loop].most; ++round) {
      clear(ready_->loops[loop.loop].clear);
      add(loop.first_launch, loop.launch_count);
      for (std::size_t g = 0; g < out.to.size(); ++g) {
        out.to[g] = ready_->swap_groups[g].after[loop.loop][out.to[g]];
      }
    }
  }
  add(next, steps_.size() - next);
  out.steps = std::make_shared<RecordedPlay>(session_, ready_->name, std::move(steps));
  return out;
}

void PreparedPipeline::prepare_whole_play() {
  plays_.clear();
  played_ = nullptr;
  in_bands_ = std::ranges::any_of(bands(), &LaunchBands::banded);
  why_not_whole_ = why_not_whole();
  if (why_not_whole_.empty()) whole_play_now();
}

PreparedPipeline::WholePlay& PreparedPipeline::whole_play_now() {
  const auto known = std::ranges::find(plays_, order_, &WholePlay::from);
  if (known != plays_.end()) return *known;
  if (plays_.size() == kMostPlays) plays_.clear();
  return plays_.emplace_back(make_whole_play());
}

std::string PreparedPipeline::played() const {
  if (!why_not_whole_.empty()) return fmt::format("launch by launch: {}", why_not_whole_);
  return played_ == nullptr ? "not yet" : played_->how();
}

}  // namespace vyre
