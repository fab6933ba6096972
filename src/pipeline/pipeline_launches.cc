// Divides the stages of a pipeline into launches.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <set>

#include "vyre/base/arithmetic.h"
#include "vyre/pipeline/pipeline_plan_internal.h"

namespace vyre {
namespace {

constexpr std::size_t kMostStages = 16;  // the most stages of one launch

class LaunchDivider {
 public:
  LaunchDivider(const ReadyPipeline& pipeline, const PipelinePlanOptions& options)
      : pipeline_(pipeline), options_(options) {}

  Result<PipelinePlan> run() {
    plan_.buffers.resize(pipeline_.buffers.size());
    find_uses();
    VYRE_CHECK(group());
    for (const FusionGroup& g : plan_.groups.groups) launches_of(g);
    find_loops();
    plan_.made_with = options_;
    return std::move(plan_);
  }

 private:
  // Finds the stages that use each buffer. A loop uses the buffers that it clears, tests and
  // exchanges.
  void find_uses() {
    uses_.resize(pipeline_.buffers.size());
    for (std::size_t s = 0; s < pipeline_.stages.size(); ++s) {
      for (const StageBinding& b : pipeline_.stages[s].bindings) uses_[b.buffer].add(s);
      if (pipeline_.stages[s].grid) uses_[pipeline_.stages[s].grid->buffer].add(s);
    }
    for (const ReadyLoop& loop : pipeline_.loops) {
      for (const std::size_t b : used_beside_stages(loop)) {
        uses_[b].add(loop.first_stage);
        uses_[b].add(loop.first_stage + loop.stage_count - 1);
      }
    }
  }

  // ---- Groups by bytes, loops and host boundaries

  Result<void> group() {
    std::vector<FusionStage> stages;
    for (std::size_t s = 0; s < pipeline_.stages.size(); ++s) {
      const ReadyStage& stage = pipeline_.stages[s];
      FusionStage& out = stages.emplace_back();
      out.id = static_cast<std::uint32_t>(s);
      out.needs_host_materialization = s != 0 && cut_before(s);
      std::set<std::size_t> seen;
      for (const StageBinding& b : stage.bindings) {
        if (!seen.insert(b.buffer).second) continue;
        std::uint64_t& bytes = stage.writes(b.buffer) ? out.output_bytes : out.input_bytes;
        bytes = saturating_add(bytes, pipeline_.buffers[b.buffer].bytes);
      }
    }
    const std::uint64_t budget = options_.memory_budget.value_or(std::uint64_t{1} << 60U);
    auto plan = plan_launch_fusion(stages, budget);
    if (!plan) return std::unexpected(to_error(plan.error()));
    plan_.groups = *std::move(plan);
    return {};
  }

  // ---- Launches: as many neighbouring stages of a group as can be fused

  void launches_of(const FusionGroup& g) {
    const std::size_t end = g.first_stage + g.stage_count;
    Boundary why = boundary(g);
    for (std::size_t first = g.first_stage; first < end;) {
      std::size_t count = 1;
      std::optional<FusedKernel> fused;
      Boundary next;
      while (first + count < end) {
        if (count == kMostStages) {
          next = {LaunchBoundary::too_many_stages,
                  {},
                  fmt::format("a launch has at most {} stages", kMostStages)};
          break;
        }
        auto more = fuse(first, count + 1, next);
        if (!more) break;
        fused = std::move(more);
        ++count;
      }
      add_launch(first, count, std::move(fused), std::move(why));
      why = std::move(next);
      first += count;
    }
  }

  struct Boundary {
    LaunchBoundary kind = LaunchBoundary::first_launch;
    std::optional<RefusalReason> refusal;
    std::string because;
  };

  // Why a stage cannot be fused with the stage before it, whatever their programs do; absent: it
  // may be.
  std::optional<Boundary> cut_before(std::size_t s) const {
    using enum LaunchBoundary;
    const ReadyStage& stage = pipeline_.stages[s];
    const ReadyStage& before = pipeline_.stages[s - 1];
    if (!options_.fuse) return Boundary{fusion_off, {}, "fusion is off"};
    if (stage.host) {
      return Boundary{
          host_looks, {}, fmt::format("the host may look at what comes before '{}'", stage.name)};
    }
    if (stage.loop != before.loop) {
      return stage.loop
                 ? Boundary{loop_begins,
                            {},
                            fmt::format("the loop '{}' begins", pipeline_.loops[*stage.loop].name)}
                 : Boundary{loop_ends,
                            {},
                            fmt::format("the loop '{}' ends", pipeline_.loops[*before.loop].name)};
    }
    for (const ReadyStage* one : {&stage, &before}) {
      if (!one->grid) continue;
      return Boundary{grid_computed,
                      {},
                      fmt::format("the grid of '{}' is computed: it is in '{}'", one->name,
                                  pipeline_.buffers[one->grid->buffer].name)};
    }
    return std::nullopt;
  }

  Boundary boundary(const FusionGroup& g) const {
    switch (g.boundary) {
      case FusionBoundary::first_stage: break;
      case FusionBoundary::host_materialization: return *cut_before(g.first_stage);
      case FusionBoundary::layout_differs: assert(false); break;  // all have the same
      case FusionBoundary::over_budget:
        return {LaunchBoundary::over_budget,
                {},
                fmt::format("with '{}' the launch would need {} bytes, more than the budget",
                            pipeline_.stages[g.first_stage].name, g.refused_bytes)};
    }
    return {};
  }

  // Fuses these stages. The pass is given only the buffers that they use.
  std::optional<FusedKernel> fuse(std::size_t first, std::size_t count, Boundary& why_not) {
    std::vector<KernelStage> stages;
    std::vector<FusedBuffer> buffers;
    std::vector<std::size_t> own;                 // for each of the pass's buffers, the pipeline's
    std::map<std::size_t, std::size_t> position;  // and the other way around
    for (std::size_t s = first; s < first + count; ++s) {
      const ReadyStage& stage = pipeline_.stages[s];
      stages.push_back({stage.name, &stage.kernel, stage.extent, stage.bindings});
      for (StageBinding& binding : stages.back().bindings) {
        const auto [at, fresh] = position.try_emplace(binding.buffer, own.size());
        if (fresh) own.push_back(binding.buffer);
        binding.buffer = at->second;
      }
    }
    for (const std::size_t b : own) {
      const ReadyBuffer& buffer = pipeline_.buffers[b];
      buffers.push_back({.name = buffer.name,
                         .bytes = buffer.bytes,
                         .contents = options_.contents_of(pipeline_, b),
                         .reads_as_zero = buffer.starts_empty() && uses_[b].first >= first,
                         .needed_after = !buffer.temporary() || uses_[b].last >= first + count});
      if (pipeline_.stages[first].loop) {
        in_loop(pipeline_.loops[*pipeline_.stages[first].loop], first, b, buffers.back());
      }
    }
    auto fused = fuse_kernels(stages, buffers, options_.limits);
    if (!fused) {
      why_not = {LaunchBoundary::not_fusable, fused.error().reason,
                 describe(fused.error(), stages, buffers)};
      return std::nullopt;
    }
    for (std::size_t& b : fused->bindings) b = own[b];
    fused_buffers_ = std::move(own);
    return *std::move(fused);
  }

  // Inside a loop, a round may read what the round before has left in a buffer.
  void in_loop(const ReadyLoop& loop, std::size_t first, std::size_t b, FusedBuffer& out) {
    std::size_t user = loop.first_stage;  // the first of the loop
    while (!binds(user, b)) ++user;
    const bool fresh = !pipeline_.swap_group(b) && (loop.clears(b) || stage_overwrites(user, b));
    out.reads_as_zero = fresh && user >= first;
    out.needed_after = out.needed_after || !fresh || (loop.until && loop.until->buffer == b);
  }
  bool binds(std::size_t stage, std::size_t buffer) const {
    const auto& bindings = pipeline_.stages[stage].bindings;
    return std::ranges::find(bindings, buffer, &StageBinding::buffer) != bindings.end();
  }
  bool stage_overwrites(std::size_t stage, std::size_t buffer) {
    const auto [at, fresh] = overwrites_.try_emplace({stage, buffer}, false);
    const ReadyStage& s = pipeline_.stages[stage];
    if (fresh && !s.grid) {
      at->second = overwrites_all(pipeline_, options_, s.kernel, s.extent, s.bindings, buffer);
    }
    return at->second;
  }

  void add_launch(std::size_t first, std::size_t count, std::optional<FusedKernel> fused,
                  Boundary why) {
    PlannedLaunch& launch = plan_.launches.emplace_back();
    launch.first_stage = first;
    launch.stage_count = count;
    launch.boundary = why.kind;
    launch.refusal = why.refusal;
    launch.begins_because = std::move(why.because);
    if (!fused) {
      const ReadyStage& stage = pipeline_.stages[first];
      launch.kernel = stage.kernel;
      launch.extent = stage.extent;
      launch.grid = stage.grid;
      launch.bindings = stage.bindings;
      return;
    }
    launch.kernel = std::move(fused->kernel);
    launch.extent = fused->extent;
    for (std::size_t i = 0; i < fused->bindings.size(); ++i) {
      launch.bindings.push_back({0, static_cast<std::uint32_t>(i), fused->bindings[i]});
    }
    for (std::size_t i = 0; i < fused->fates.size(); ++i) {
      if (fused->fates[i] == BufferFate::memory) continue;
      plan_.buffers[fused_buffers_[i]].fate = fused->fates[i];
    }
    add_parts(launch);
  }

  // Adds the stages of a fused launch that may also run one by one. Launches inside loops stay
  // fused: a buffer that one round leaves for the next, or that changes places, would need the same
  // memory in every round, which fusion has saved.
  void add_parts(PlannedLaunch& launch) {
    const auto changes_places = [&](const StageBinding& b) {
      return pipeline_.swap_group(b.buffer) != nullptr;
    };
    std::vector<PlannedPart> parts;
    for (std::size_t s = launch.first_stage; s < launch.first_stage + launch.stage_count; ++s) {
      const ReadyStage& stage = pipeline_.stages[s];
      if (stage.loop || std::ranges::any_of(stage.bindings, changes_places)) return;
      parts.push_back({stage.kernel, stage.extent, stage.bindings, {}});
    }
    launch.parts = std::move(parts);
  }

  // Finds the launches of each loop. A launch never crosses the beginning or the end of a loop.
  void find_loops() {
    for (std::size_t i = 0; i < pipeline_.loops.size(); ++i) {
      const ReadyLoop& loop = pipeline_.loops[i];
      PlannedLoop& out = plan_.loops.emplace_back();
      out.loop = i;
      while (plan_.launches[out.first_launch].first_stage < loop.first_stage) ++out.first_launch;
      for (std::size_t l = out.first_launch;
           l < plan_.launches.size() &&
           plan_.launches[l].first_stage < loop.first_stage + loop.stage_count;
           ++l) {
        ++out.launch_count;
      }
    }
    std::ranges::sort(plan_.loops, {}, &PlannedLoop::first_launch);
  }

  const ReadyPipeline& pipeline_;
  const PipelinePlanOptions& options_;
  std::vector<BufferLife> uses_;  // stages that use each buffer
  // The buffers of the last fused kernel, in the order of its fates.
  std::vector<std::size_t> fused_buffers_;
  // Whether a stage writes all of a buffer, by stage and buffer.
  std::map<std::pair<std::size_t, std::size_t>, bool> overwrites_;
  PipelinePlan plan_;
};

}  // namespace

Result<PipelinePlan> divide_into_launches(const ReadyPipeline& pipeline,
                                          const PipelinePlanOptions& options) {
  return LaunchDivider(pipeline, options).run();
}

}  // namespace vyre
