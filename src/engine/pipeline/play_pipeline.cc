// Runs a prepared pipeline, launch by launch.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "vyre/engine/pipeline/prepared_pipeline.h"

namespace vyre {

Result<void> PreparedPipeline::run(const RunLimits& limits) {
  VYRE_CHECK(submit(limits));
  return session_.wait();
}

Result<void> PreparedPipeline::submit(const RunLimits& limits) {
  RunLimits left = limits;
  if (uniforms_changed_) {
    const auto begin = std::chrono::steady_clock::now();
    VYRE_CHECK(apply_uniforms(limits));
    left = limits.counted_from(begin);
  }
  for (std::size_t g = 0; g < order_.size(); ++g) {
    if (begins_anew(*ready_, ready_->swap_groups[g])) order_[g] = 0;
  }
  return play_steps(left);
}

Result<std::chrono::nanoseconds> PreparedPipeline::time(std::uint32_t runs,
                                                        const RunLimits& limits) {
  if (runs == 0) return fail(Code::invalid_input, "no runs take no time to be measured");
  const auto begin = std::chrono::steady_clock::now();
  VYRE_TRY(const auto begun, session_.record());
  for (std::uint32_t run = 0; run < runs; ++run) VYRE_CHECK(submit(limits.counted_from(begin)));
  VYRE_TRY(const auto ended, session_.record());
  VYRE_CHECK(session_.wait());
  VYRE_TRY(const std::chrono::nanoseconds spent, ended->since(*begun));
  return spent / runs;
}

Result<std::vector<std::chrono::nanoseconds>> PreparedPipeline::launch_times() {
  std::vector<std::chrono::nanoseconds> out;
  for (const Step& step : steps_) {
    VYRE_TRY(const std::chrono::nanoseconds time, session_.time(dispatch_now(step), 3));
    out.push_back(time);
  }
  return out;
}

Result<void> PreparedPipeline::play_steps(const RunLimits& limits) {
  if (steps_.size() != plan_->launches.size()) {
    return fail(Code::out_of_memory,
                fmt::format("pipeline '{}' lost its memory when it could not be planned again",
                            ready_->name),
                "prepare it anew");
  }
  if (why_not_whole_.empty()) {
    WholePlay& play = whole_play_now();
    played_ = play.steps;
    VYRE_CHECK(play.steps->submit(limits));
    order_ = play.to;
    return {};
  }
  const auto begin = std::chrono::steady_clock::now();
  auto loop = plan_->loops.begin();
  for (std::size_t launch = 0; launch < steps_.size(); ++launch) {
    const RunLimits left = limits.counted_from(begin);
    if (loop != plan_->loops.end() && loop->first_launch == launch) {
      VYRE_CHECK(play_loop(*loop, left));
      launch += loop->launch_count - 1;
      ++loop;
      continue;
    }
    VYRE_CHECK(play_launch(launch, left));
  }
  return {};
}

Result<void> PreparedPipeline::play_launch(std::size_t launch, const RunLimits& limits) {
  VYRE_CHECK(check_goes_on(ready_->name, limits));
  if (!steps_[launch].clears_itself) {
    for (const std::size_t b : plan_->launches[launch].cleared) {
      VYRE_CHECK(session_.clear(place_of(b)));
    }
  }
  return session_.submit(dispatch_now(steps_[launch]), limits);
}

Result<void> PreparedPipeline::play_loop(const PlannedLoop& planned, const RunLimits& limits) {
  const auto begin = std::chrono::steady_clock::now();
  const ReadyLoop& loop = ready_->loops[planned.loop];
  for (const std::size_t b : planned.cleared) VYRE_CHECK(session_.clear(place_of(b)));
  for (std::uint64_t round = 0; round < loop.most; ++round) {
    for (const std::size_t b : loop.clear) {
      if (plan_->buffers[b].memory) VYRE_CHECK(session_.clear(place_of(b)));
    }
    const std::size_t end = planned.first_launch + planned.launch_count;
    for (std::size_t launch = planned.first_launch; launch < end; ++launch) {
      VYRE_CHECK(play_launch(launch, limits.counted_from(begin)));
    }
    VYRE_TRY(const bool over, is_over(loop));
    for (std::size_t g = 0; g < order_.size(); ++g) {
      order_[g] = ready_->swap_groups[g].after[planned.loop][order_[g]];
    }
    if (over) break;
  }
  return {};
}

Result<bool> PreparedPipeline::is_over(const ReadyLoop& loop) const {
  if (!loop.until) return false;
  std::array<std::byte, 4> scalar{};
  const std::span<std::byte> bytes = std::span(scalar).first(loop.until->bytes());
  VYRE_CHECK(session_.read(place_of(loop.until->buffer), loop.until->offset, bytes));
  return loop.until->holds(bytes);
}

const Dispatch& PreparedPipeline::dispatch_in(const std::vector<std::uint32_t>& order,
                                              const Step& step) const {
  std::size_t index = 0;
  for (const std::size_t g : step.groups) {
    index = index * ready_->swap_groups[g].orders.size() + order[g];
  }
  return step.dispatches[index];
}

}  // namespace vyre
