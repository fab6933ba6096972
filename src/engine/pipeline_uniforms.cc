// Changes the contents of uniforms of a prepared pipeline.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vyre/engine/prepared_pipeline.h"

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

bool PreparedPipeline::plan_relies_on(std::size_t uniform) {
  relied_on_.resize(ready_->buffers.size());
  std::optional<bool>& known = relied_on_[uniform];
  if (!known) known = relies_on(*ready_, *plan_, uniform);
  return *known;
}

Result<void> PreparedPipeline::apply_uniforms() {
  if (!uniforms_changed_) return {};
  const bool is_right = std::ranges::all_of(contents_, [&](const auto& own) {
    const auto planned = plan_->made_with.contents_of(*ready_, own.first);
    return std::ranges::equal(own.second, planned) || !plan_relies_on(own.first);
  });
  if (!is_right) VYRE_CHECK(plan_for_uniforms());
  for (const auto& [uniform, contents] : contents_) {
    const auto& piece = plan_->buffers[uniform].memory;
    if (piece) VYRE_CHECK(session_.write(memory_[*piece], 0, contents));
  }
  uniforms_changed_ = false;
  return {};
}

// Plans again, because the plan relied on contents that have changed.
Result<void> PreparedPipeline::plan_for_uniforms() {
  PipelinePlanOptions options = plan_->made_with;
  options.uniforms = contents_;
  VYRE_TRY(auto made, plan_pipeline(*ready_, options));
  auto plan = std::make_shared<const PipelinePlan>(std::move(made));
  // A uniform that one plan relied on may make the next one better again.
  for (auto& known : relied_on_) {
    if (known == false) known.reset();
  }
  if (is_same_work(*plan_, *plan)) {
    plan_ = std::move(plan);
    return {};
  }
  auto contents = contents_;
  auto relied_on = relied_on_;
  VYRE_CHECK(replace(ready_, std::move(plan), origin_, Kept::all));
  contents_ = std::move(contents);
  relied_on_ = std::move(relied_on);
  return {};
}

}  // namespace vyre
