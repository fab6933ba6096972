#include "vyre/pipeline/pipeline_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "vyre/base/arithmetic.h"
#include "vyre/ir/access/coverage.h"
#include "vyre/pipeline/launch_facts.h"
#include "vyre/pipeline/pipeline_plan_internal.h"

namespace vyre {

std::set<std::size_t> used_beside_stages(const ReadyLoop& loop) {
  std::set<std::size_t> out(loop.clear.begin(), loop.clear.end());
  if (loop.until) out.insert(loop.until->buffer);
  for (const auto& [a, b] : loop.swap) out.insert({a, b});
  return out;
}

bool overwrites_all(const ReadyPipeline& pipeline, const PipelinePlanOptions& options,
                    const Kernel& kernel, const Extent& extent,
                    std::span<const StageBinding> bindings, std::size_t buffer) {
  const Program& program = *kernel.program;
  const LaunchFacts facts = launch_facts(pipeline, program, extent, bindings, [&](std::size_t b) {
    return options.contents_of(pipeline, b);
  });
  std::optional<GlobalId> global;
  for (std::uint32_t g = 0; g < program.globals.size(); ++g) {
    const StageBinding* bound = binding_of(program.globals[g], bindings);
    if (bound != nullptr && bound->buffer == buffer) global = GlobalId{g};
  }
  return global && overwrites(program, facts, *global);
}

std::string_view to_string(LaunchBoundary boundary) {
  switch (boundary) {
    case LaunchBoundary::first_launch: return "first_launch";
    case LaunchBoundary::fusion_off: return "fusion_off";
    case LaunchBoundary::host_looks: return "host_looks";
    case LaunchBoundary::loop_begins: return "loop_begins";
    case LaunchBoundary::loop_ends: return "loop_ends";
    case LaunchBoundary::grid_computed: return "grid_computed";
    case LaunchBoundary::over_budget: return "over_budget";
    case LaunchBoundary::too_many_stages: return "too_many_stages";
    case LaunchBoundary::not_fusable: return "not_fusable";
  }
  return "";
}

std::uint64_t bytes_bound(const ReadyPipeline& pipeline, const PipelinePlan& plan) {
  std::uint64_t out = 0;
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {
    std::uint64_t rounds = 1;
    for (const PlannedLoop& loop : plan.loops) {
      if (l < loop.first_launch || l >= loop.first_launch + loop.launch_count) continue;
      rounds = pipeline.loops[loop.loop].most;
    }
    std::set<std::size_t> seen;
    for (const StageBinding& b : plan.launches[l].bindings) {
      if (!seen.insert(b.buffer).second) continue;
      out = saturating_add(out, saturating_mul(rounds, pipeline.buffers[b.buffer].bytes));
    }
  }
  return out;
}

std::string bytes_of_each(const ReadyPipeline& pipeline, const PipelinePlan& plan) {
  std::string out;
  for (std::size_t b = 0; b < pipeline.buffers.size(); ++b) {
    if (!plan.buffers[b].memory) continue;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", pipeline.buffers[b].name,
                       pipeline.buffers[b].bytes);
  }
  return out;
}

std::span<const std::byte> PipelinePlanOptions::contents_of(const ReadyPipeline& pipeline,
                                                            std::size_t buffer) const {
  for (const auto& [uniform, contents] : uniforms) {
    if (uniform == buffer) return contents;
  }
  return pipeline.buffers[buffer].contents;
}

bool is_same_work(const PipelinePlan& a, const PipelinePlan& b) {
  const auto same_part = [](const PlannedPart& x, const PlannedPart& y) {
    return x.cleared == y.cleared;
  };
  const auto same_launch = [&](const PlannedLaunch& x, const PlannedLaunch& y) {
    return x.stage_count == y.stage_count && x.kernel.fingerprint == y.kernel.fingerprint &&
           x.extent == y.extent && x.cleared == y.cleared &&
           std::ranges::equal(x.bindings, y.bindings, {}, &StageBinding::buffer,
                              &StageBinding::buffer) &&
           std::ranges::equal(x.parts, y.parts, same_part);
  };
  const auto same_place = [](const PlannedBuffer& x, const PlannedBuffer& y) {
    return x.memory == y.memory && x.memory_apart == y.memory_apart;
  };
  return std::ranges::equal(a.launches, b.launches, same_launch) &&
         std::ranges::equal(a.loops, b.loops, {}, &PlannedLoop::cleared, &PlannedLoop::cleared) &&
         std::ranges::equal(a.buffers, b.buffers, same_place);
}

bool relies_on(const ReadyPipeline& pipeline, const PipelinePlan& plan,
               std::span<const std::size_t> uniforms) {
  PipelinePlanOptions without = plan.made_with;
  for (const std::size_t uniform : uniforms) {
    std::erase_if(without.uniforms, [&](const auto& u) { return u.first == uniform; });
    without.uniforms.emplace_back(uniform, std::vector<std::byte>());
  }
  const auto other = plan_pipeline(pipeline, without);
  return !other || !is_same_work(plan, *other);
}

bool begins_anew(const ReadyPipeline& pipeline, const SwapGroup& group) {
  return std::ranges::all_of(group.members,
                             [&](std::size_t b) { return pipeline.buffers[b].starts_empty(); });
}

Result<PipelinePlan> plan_pipeline(const ReadyPipeline& pipeline,
                                   const PipelinePlanOptions& options) {
  VYRE_TRY(PipelinePlan plan, divide_into_launches(pipeline, options));
  VYRE_CHECK(assign_memory(pipeline, options, plan));
  return plan;
}

}  // namespace vyre
