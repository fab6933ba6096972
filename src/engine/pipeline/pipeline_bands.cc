#include "vyre/engine/pipeline/pipeline_bands.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "vyre/base/arithmetic.h"
#include "vyre/engine/session.h"
#include "vyre/ir/access/reach.h"
#include "vyre/ir/slots.h"

namespace vyre {
namespace {

// The items of a run. Their addresses are not real: they only tell pieces of memory apart.
class Items {
 public:
  Items(const ReadyPipeline& pipeline, const PipelinePlan& plan, RunsOf runs, ReachOf reach)
      : pipeline_(pipeline), plan_(plan), runs_(runs), reach_(reach) {
    order_.resize(pipeline.swap_groups.size());
    std::uint64_t address = kAlignment;
    for (const auto& pieces : {plan.memory, plan.memory_apart}) {
      for (const std::uint64_t bytes : pieces) {
        pieces_.push_back({address, bytes});
        address += (bytes / kAlignment + 2) * kAlignment;
      }
    }
  }

  void add_run() {
    std::size_t next = 0;
    for (const PlannedLoop& loop : plan_.loops) {
      add(next, loop.first_launch);
      next = loop.first_launch + loop.launch_count;
      clear(loop.cleared);
      for (std::uint64_t round = 0; round < pipeline_.loops[loop.loop].most; ++round) {
        clear(pipeline_.loops[loop.loop].clear);
        add(loop.first_launch, next);
        for (std::size_t g = 0; g < order_.size(); ++g) {
          order_[g] = pipeline_.swap_groups[g].after[loop.loop][order_[g]];
        }
      }
    }
    add(next, plan_.launches.size());
  }

  std::vector<WorkItem> items;
  std::vector<std::size_t> launch_of;  // by item, the launch of the plan; clears have none

 private:
  static constexpr std::uint64_t kAlignment = 4096;

  const BoundMemory& piece_of(std::size_t buffer) const {
    const SwapGroup* group = pipeline_.swap_group(buffer);
    if (group != nullptr) {
      const std::uint32_t order =
          order_[static_cast<std::size_t>(group - pipeline_.swap_groups.data())];
      buffer = group->members[group->orders[order][group->position(buffer)]];
    }
    const PlannedBuffer& planned = plan_.buffers[buffer];
    return pieces_[planned.memory ? *planned.memory : *planned.memory_apart];
  }
  void clear(std::span<const std::size_t> buffers) {
    for (const std::size_t b : buffers) {
      if (!plan_.buffers[b].memory && !plan_.buffers[b].memory_apart) continue;
      WorkItem& item = items.emplace_back();
      item.kind = WorkItem::Kind::clear;
      item.to = piece_of(b);
      launch_of.push_back(0);
    }
  }
  void add(std::size_t first, std::size_t end) {
    for (std::size_t l = first; l < end; ++l) {
      const PlannedLaunch& launch = plan_.launches[l];
      host_looks_ = launch.boundary == LaunchBoundary::host_looks;
      if (runs_[l].size() == 1) {
        clear(launch.cleared);
        add(l, runs_[l].front(), *launch.kernel.program, launch.bindings, reach_[l]->launch);
        continue;
      }
      for (std::size_t p = 0; p < launch.parts.size(); ++p) {
        const PlannedPart& part = launch.parts[p];
        clear(part.cleared);
        add(l, runs_[l][p], *part.kernel.program, part.bindings, reach_[l]->parts[p]);
      }
    }
  }
  void add(std::size_t launch, const LaunchPlan& runs, const Program& program,
           std::span<const StageBinding> bindings, const KernelReach& reach) {
    auto& bound = bindings_.emplace_back();
    for (const GlobalId id : slots_of(program)) {
      const StageBinding* binding = binding_of(program[id], bindings);
      BoundMemory memory;
      if (binding != nullptr) {
        memory = piece_of(binding->buffer);
        memory.bytes = pipeline_.buffers[binding->buffer].bytes;
      }
      bound.push_back(memory);
    }
    WorkItem& item = items.emplace_back();
    item.launch.kernel = runs.kernel;
    item.launch.bindings = bound;
    item.launch.grid = runs.grid;
    item.launch.extent = runs.extent;
    item.launch.workgroup = runs.variant.workgroup;
    item.reach = reach;
    item.after_all = std::exchange(host_looks_, false);
    launch_of.push_back(launch);
  }

  const ReadyPipeline& pipeline_;
  const PipelinePlan& plan_;
  const RunsOf runs_;
  const ReachOf reach_;
  std::vector<BoundMemory> pieces_;
  std::vector<std::uint32_t> order_;
  bool host_looks_ = false;  // the host may look at memory before the next launch
  std::deque<std::vector<BoundMemory>> bindings_;  // the items point into these
};

KernelReach reach_of(const ReadyPipeline& pipeline, const Kernel& kernel, const Extent& extent,
                     std::span<const StageBinding> bindings, const ContentsOf& contents_of) {
  const Program& program = *kernel.program;
  const auto reach =
      find_reach(program, launch_facts(pipeline, program, extent, bindings, contents_of));
  if (!reach) return std::nullopt;
  const std::vector<GlobalId> slots = slots_of(program);
  std::vector<ReachedBytes> out;
  for (const BufferReach& r : *reach) {
    const auto slot = std::ranges::find(slots, r.global);
    if (slot == slots.end()) continue;
    out.push_back({.slot = static_cast<std::uint32_t>(slot - slots.begin()),
                   .writes = r.writes,
                   .commutes = r.commutes,
                   .factor = r.factor,
                   .low = r.low,
                   .high = r.high});
  }
  return out;
}

}  // namespace

LaunchReach reach_of(const ReadyPipeline& pipeline, const PlannedLaunch& launch,
                     const ContentsOf& contents_of) {
  LaunchReach out;
  if (launch.grid) return out;
  out.launch = reach_of(pipeline, launch.kernel, launch.extent, launch.bindings, contents_of);
  for (const PlannedPart& part : launch.parts) {
    out.parts.push_back(reach_of(pipeline, part.kernel, part.extent, part.bindings, contents_of));
  }
  return out;
}

std::optional<std::uint64_t> launches_in_run(const ReadyPipeline& pipeline,
                                             const PipelinePlan& plan) {
  std::uint64_t out = plan.launches.size();
  if (std::ranges::any_of(plan.launches,
                          [](const PlannedLaunch& l) { return l.grid.has_value(); })) {
    return std::nullopt;
  }
  for (const PlannedLoop& loop : plan.loops) {
    const ReadyLoop& its = pipeline.loops[loop.loop];
    if (its.until) return std::nullopt;
    out = saturating_add(out, saturating_mul<std::uint64_t>(its.most, loop.launch_count));
  }
  return out;
}

std::vector<LaunchBands> plan_pipeline_bands(const ReadyPipeline& pipeline,
                                             const PipelinePlan& plan, RunsOf runs, ReachOf reach,
                                             const Device& device) {
  if (reach.empty() || runs.empty()) return {};
  Items all(pipeline, plan, runs, reach);
  all.add_run();
  const ItemBands found = device.bands_of(all.items);
  std::vector<LaunchBands> out(plan.launches.size());
  for (const WorkBands& bands : found.bands) {
    std::map<std::size_t, std::uint64_t> times;
    for (std::uint32_t i = bands.first_item; i <= bands.last_item; ++i) {
      if (all.items[i].kind == WorkItem::Kind::launch) ++times[all.launch_of[i]];
    }
    const Launch& first = all.items[bands.first_item].launch;
    for (const auto& [launch, rounds] : times) {
      LaunchBands& its = out[launch];
      if (its.banded && its.rounds >= rounds) continue;
      its = {.banded = true,
             .first = times.begin()->first,
             .last = times.rbegin()->first,
             .rounds = runs[launch].size() == 1 ? rounds : 1,
             .rows = bands.rows * first.workgroup[slowest_axis(first.extent)],
             .regions = bands.regions};
    }
  }
  for (std::size_t i = 0; i < all.items.size(); ++i) {
    LaunchBands& its = out[all.launch_of[i]];
    if (all.items[i].kind == WorkItem::Kind::launch && !its.banded && its.why_not.empty()) {
      its.why_not = found.why_not[i];
    }
  }
  return out;
}

std::vector<LaunchBands> Session::plan_bands(const ReadyPipeline& pipeline,
                                             const PipelinePlan& plan,
                                             std::span<const std::vector<LaunchPlan>> runs) const {
  if (!costs_.plays_in_bands || !plan.made_with.bands) return {};
  const auto launches = launches_in_run(pipeline, plan);
  if (!launches || *launches > kMostWholeLaunches) return {};
  std::vector<std::shared_ptr<const LaunchReach>> reach;
  for (const PlannedLaunch& launch : plan.launches) {
    reach.push_back(std::make_shared<const LaunchReach>(reach_of(
        pipeline, launch, [&](std::size_t b) { return plan.made_with.contents_of(pipeline, b); })));
  }
  return plan_pipeline_bands(pipeline, plan, runs, reach, *device_);
}

}  // namespace vyre
