// What the launches of a prepared pipeline may touch, given the present contents of its uniforms.
#include <algorithm>

#include "vyre/engine/pipeline/prepared_pipeline.h"

namespace vyre {

void PreparedPipeline::find_reach() {
  reach_.clear();
  reach_contents_.clear();
  if (!session_.device().launch_costs().plays_in_bands || !plan_->made_with.bands) return;
  const auto launches = launches_in_run(*ready_, *plan_);
  if (!launches || *launches > kMostWholeLaunches || plan_->launches.empty()) return;
  for (std::size_t b = 0; b < ready_->buffers.size(); ++b) {
    if (!ready_->buffers[b].uniform) continue;
    const auto own = std::ranges::find(contents_, b, [](const auto& c) { return c.first; });
    const auto contents = own != contents_.end() ? std::span<const std::byte>(own->second)
                                                 : plan_->made_with.contents_of(*ready_, b);
    reach_contents_[b].assign(contents.begin(), contents.end());
  }
  const auto contents_of = [&](std::size_t b) -> std::span<const std::byte> {
    const auto known = reach_contents_.find(b);
    if (known == reach_contents_.end()) return {};
    return known->second;
  };
  for (const PlannedLaunch& launch : plan_->launches) {
    reach_.push_back(std::make_shared<const LaunchReach>(reach_of(*ready_, launch, contents_of)));
  }
}

// Called after the contents of uniforms have changed.
void PreparedPipeline::find_reach_again() {
  std::vector<std::size_t> changed;
  for (const auto& [uniform, contents] : contents_) {
    const auto known = reach_contents_.find(uniform);
    if (known != reach_contents_.end() && !std::ranges::equal(known->second, contents)) {
      changed.push_back(uniform);
    }
  }
  std::ranges::sort(changed);
  if (reach_.empty() || changed.empty() || !reach_depends_on(changed)) return;
  reach_depends_on_.clear();
  find_reach();
  prepare_whole_play();
}

// Whether `reach_` was computed from the contents of any of these uniforms. If not, it stays right
// whatever they hold.
bool PreparedPipeline::reach_depends_on(const std::vector<std::size_t>& uniforms) {
  const auto [at, fresh] = reach_depends_on_.try_emplace(uniforms, false);
  if (!fresh) return at->second;
  const auto without = [&](std::size_t b) -> std::span<const std::byte> {
    const auto contents = reach_contents_.find(b);
    const bool is_known =
        contents != reach_contents_.end() && !std::ranges::binary_search(uniforms, b);
    return is_known ? std::span<const std::byte>(contents->second) : std::span<const std::byte>();
  };
  for (std::size_t l = 0; l < reach_.size() && !at->second; ++l) {
    at->second = reach_of(*ready_, plan_->launches[l], without) != *reach_[l];
  }
  return at->second;
}

std::vector<LaunchBands> PreparedPipeline::bands() const {
  return plan_pipeline_bands(*ready_, *plan_, plans(), reach_, session_.device());
}

}  // namespace vyre
