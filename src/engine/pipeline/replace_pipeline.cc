// Plans a prepared pipeline again, for other sizes or other contents of a uniform.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "vyre/base/arithmetic.h"
#include "vyre/engine/pipeline/prepared_pipeline.h"

namespace vyre {

Result<void> PreparedPipeline::resize(std::initializer_list<DimValue> dims,
                                      const RunLimits& limits) {
  std::vector<std::pair<std::string, std::uint64_t>> named;
  for (const DimValue& d : dims) named.emplace_back(d.dim.text(), d.value);
  return resize(named, limits);
}

Result<void> PreparedPipeline::resize(
    const std::vector<std::pair<std::string, std::uint64_t>>& dims, const RunLimits& limits) {
  PipelineOptions options = origin_ == nullptr ? PipelineOptions{} : origin_->options;
  for (const auto& [name, value] : dims) {
    std::erase_if(options.ready.dims, [&](const auto& d) { return d.first == name; });
    options.ready.dims.emplace_back(name, value);
  }
  return prepare_again(options, limits);
}

Result<void> PreparedPipeline::prepare_again(const PipelineOptions& options,
                                             const RunLimits& limits) {
  const auto begin = std::chrono::steady_clock::now();
  if (origin_ == nullptr) {
    return fail(Code::invalid_input,
                fmt::format("pipeline '{}' was planned elsewhere and cannot be prepared again",
                            ready_->name));
  }
  auto origin = std::make_shared<const Origin>(origin_->pipeline, options);
  VYRE_TRY(auto ready, make_ready(origin->pipeline, options.ready));
  VYRE_TRY(auto plan, plan_pipeline(ready, options.plan));
  return replace(std::make_shared<const ReadyPipeline>(std::move(ready)),
                 std::make_shared<const PipelinePlan>(std::move(plan)), std::move(origin),
                 Kept::given, limits.counted_from(begin));
}

Result<void> PreparedPipeline::replace(std::shared_ptr<const ReadyPipeline> ready,
                                       std::shared_ptr<const PipelinePlan> plan,
                                       std::shared_ptr<const Origin> origin, Kept kept,
                                       const RunLimits& limits) {
  VYRE_TRY(const bool has_room, has_room_for(*plan));
  if (!has_room) free_what_holds_nothing();
  const auto made = [&]() -> Result<PreparedPipeline> {
    VYRE_TRY(PreparedPipeline out, make(session_, std::move(ready), std::move(plan), limits));
    out.origin_ = std::move(origin);
    VYRE_CHECK(out.keep_contents(*this, kept));
    return out;
  }();
  if (!made) {
    if (!has_room) VYRE_CHECK(allocate_again());
    return std::unexpected(made.error());
  }
  *this = *std::move(made);
  return {};
}

// Whether the memory of another plan fits in addition to the present memory. An error if it does
// not even fit in addition to the buffers that keep their contents.
Result<bool> PreparedPipeline::has_room_for(const PipelinePlan& plan) const {
  std::uint64_t held = 0;
  std::uint64_t kept = 0;
  for (std::size_t p = 0; p < memory_.size(); ++p) {
    held = saturating_add(held, memory_[p].size());
    if (is_kept(p)) kept = saturating_add(kept, memory_[p].size());
  }
  VYRE_TRY(const MemoryInfo info, session_.device().memory_info());
  const auto& budget = plan.made_with.memory_budget;
  if (budget && saturating_add(kept, plan.allocated_bytes) > *budget) {
    return fail(Code::limit,
                fmt::format("pipeline '{}' keeps {} bytes until they are copied, and needs {} more "
                            "to be planned again; the budget is {}",
                            ready_->name, kept, plan.allocated_bytes, *budget),
                "prepare it anew, or give it a larger budget");
  }
  return plan.allocated_bytes <= info.free &&
         (!budget || saturating_add(held, plan.allocated_bytes) <= *budget);
}

// Whether a piece of memory belongs to a buffer that the caller fills or reads.
bool PreparedPipeline::is_kept(std::size_t piece) const {
  for (std::size_t b = 0; b < ready_->buffers.size(); ++b) {
    if (plan_->buffers[b].memory == piece && ready_->buffers[b].seen_outside()) return true;
  }
  return false;
}

void PreparedPipeline::free_what_holds_nothing() {
  plays_.clear();  // recordings keep the old memory alive
  played_ = nullptr;
  steps_.clear();
  for (std::size_t p = 0; p < memory_.size(); ++p) {
    if (!is_kept(p)) memory_[p] = Buffer{};
  }
}

Result<void> PreparedPipeline::allocate_again() {
  for (std::size_t p = 0; p < plan_->memory.size(); ++p) {
    if (memory_[p].size() != 0) continue;
    VYRE_TRY(memory_[p], session_.buffer(plan_->memory[p]));
  }
  for (std::size_t b = 0; b < ready_->buffers.size(); ++b) {
    if (ready_->buffers[b].uniform) VYRE_CHECK(fill(b));
  }
  return make_steps();
}

// Takes over memory of the caller, and the contents of buffers whose size has not changed.
Result<void> PreparedPipeline::keep_contents(const PreparedPipeline& before, Kept kept) {
  for (const auto& [b, memory] : before.own_) {
    if (memory.size() == ready_->buffers[b].bytes && plan_->buffers[b].memory) {
      VYRE_CHECK(bind(ready_->buffers[b].name, memory));
    }
  }
  for (std::size_t b = 0; b < ready_->buffers.size(); ++b) {
    const ReadyBuffer& buffer = ready_->buffers[b];
    const bool keeps = kept == Kept::all ? buffer.seen_outside() : buffer.given;
    if (!keeps || buffer.bytes != before.ready_->buffers[b].bytes) continue;
    if (!plan_->buffers[b].memory || !before.plan_->buffers[b].memory) continue;
    if (place_of(b).address() == before.place_of(b).address()) continue;  // the caller's
    VYRE_CHECK(session_.copy(before.place_of(b), 0, place_of(b), 0, buffer.bytes));
  }
  return session_.wait();
}

}  // namespace vyre
