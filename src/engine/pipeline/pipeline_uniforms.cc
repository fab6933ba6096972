// Changes the contents of uniforms of a prepared pipeline.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "vyre/engine/pipeline/prepared_pipeline.h"

namespace vyre {

Result<void> PreparedPipeline::set_uniform_bytes(std::string_view uniform,
                                                 std::span<const std::byte> contents) {
  const auto index = ready_->find(uniform);
  if (!index || !ready_->buffers[*index].uniform) {
    return fail(Code::invalid_input,
                fmt::format("pipeline '{}' has no uniform '{}'", ready_->name, uniform));
  }
  const ReadyBuffer& buffer = ready_->buffers[*index];
  if (contents.size() != buffer.bytes) {
    return fail(Code::invalid_input,
                fmt::format("pipeline '{}': the uniform '{}' has {} bytes ({}), and {} are given",
                            ready_->name, uniform, buffer.bytes, buffer.type, contents.size()));
  }
  auto own =
      std::ranges::find(contents_, *index, &std::pair<std::size_t, std::vector<std::byte>>::first);
  if (own == contents_.end()) own = contents_.insert(own, {*index, {}});
  own->second.assign(contents.begin(), contents.end());
  uniforms_changed_ = true;
  return {};
}

std::span<const std::byte> PreparedPipeline::contents_now(std::size_t uniform) const {
  for (const auto& [index, contents] : contents_) {
    if (index == uniform) return contents;
  }
  return ready_->buffers[uniform].contents;
}

bool PreparedPipeline::plan_relies_on(const std::vector<std::size_t>& uniforms) {
  const auto known = relied_on_.find(uniforms);
  if (known != relied_on_.end()) return known->second;
  return relied_on_[uniforms] = relies_on(*ready_, *plan_, uniforms);
}

Result<void> PreparedPipeline::apply_uniforms(const RunLimits& limits) {
  if (!uniforms_changed_) return {};
  std::vector<std::size_t> changed;
  for (const auto& [uniform, contents] : contents_) {
    const auto planned = plan_->made_with.contents_of(*ready_, uniform);
    if (!std::ranges::equal(contents, planned)) changed.push_back(uniform);
  }
  std::ranges::sort(changed);
  if (!changed.empty() && plan_relies_on(changed)) VYRE_CHECK(plan_for_uniforms(limits));
  find_reach_again();
  for (const auto& [uniform, contents] : contents_) {
    const auto& piece = plan_->buffers[uniform].memory;
    if (piece) VYRE_CHECK(session_.write(memory_[*piece], 0, contents));
  }
  uniforms_changed_ = false;
  return {};
}

// Plans again, because the plan relied on contents that have changed.
Result<void> PreparedPipeline::plan_for_uniforms(const RunLimits& limits) {
  const auto begin = std::chrono::steady_clock::now();
  PipelinePlanOptions options = plan_->made_with;
  options.uniforms = contents_;
  VYRE_TRY(auto made, plan_pipeline(*ready_, options));
  auto plan = std::make_shared<const PipelinePlan>(std::move(made));
  // A uniform that one plan relied on may make the next one better again.
  std::erase_if(relied_on_, [](const auto& known) { return !known.second; });
  if (is_same_work(*plan_, *plan)) {
    plan_ = std::move(plan);
    return {};
  }
  auto contents = contents_;
  auto relied_on = relied_on_;
  VYRE_CHECK(replace(ready_, std::move(plan), origin_, Kept::all, limits.counted_from(begin)));
  contents_ = std::move(contents);
  relied_on_ = std::move(relied_on);
  return {};
}

}  // namespace vyre
