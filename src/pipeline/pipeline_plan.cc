#include "vyre/pipeline/pipeline_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "vyre/base/arithmetic.h"
#include "vyre/ir/access/coverage.h"

namespace vyre {
namespace {

constexpr std::size_t kMostStages = 16;  // of one launch

// The first and the last of what uses a buffer.
struct Life {
  std::size_t first = SIZE_MAX;
  std::size_t last = 0;
  void add(std::size_t user) {
    first = std::min(first, user);
    last = std::max(last, user);
  }
  bool used() const { return first != SIZE_MAX; }
};

class Planner {
 public:
  Planner(const ReadyPipeline& pipeline, const PipelinePlanOptions& options)
      : pipeline_(pipeline), options_(options) {}

  Result<PipelinePlan> run() {
    plan_.buffers.resize(pipeline_.buffers.size());
    uses_.resize(pipeline_.buffers.size());
    for (std::size_t s = 0; s < pipeline_.stages.size(); ++s) {
      for (const StageBinding& b : pipeline_.stages[s].bindings) uses_[b.buffer].add(s);
    }
    VYRE_CHECK(group());
    for (const FusionGroup& g : plan_.groups.groups) launches_of(g);
    assign_memory();
    VYRE_CHECK(check_budget());
    return std::move(plan_);
  }

 private:
  // ---- Groups by bytes and host boundaries

  Result<void> group() {
    std::vector<FusionStage> stages;
    for (std::size_t s = 0; s < pipeline_.stages.size(); ++s) {
      const ReadyStage& stage = pipeline_.stages[s];
      FusionStage& out = stages.emplace_back();
      out.id = static_cast<std::uint32_t>(s);
      out.needs_host_materialization = stage.host || !options_.fuse;
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

  // ---- Launches: as many stages of a group as can be one

  void launches_of(const FusionGroup& g) {
    const std::size_t end = g.first_stage + g.stage_count;
    std::string because = boundary(g);
    for (std::size_t first = g.first_stage; first < end;) {
      std::size_t count = 1;
      std::optional<FusedKernel> fused;
      std::string next;
      while (first + count < end) {
        if (count == kMostStages) {
          next = fmt::format("a launch has at most {} stages", kMostStages);
          break;
        }
        auto more = fuse(first, count + 1, next);
        if (!more) break;
        fused = std::move(more);
        ++count;
      }
      add_launch(first, count, std::move(fused), std::move(because));
      because = std::move(next);
      first += count;
    }
  }

  std::string boundary(const FusionGroup& g) const {
    const std::string& name = pipeline_.stages[g.first_stage].name;
    switch (g.boundary) {
      case FusionBoundary::first_stage: return "";
      case FusionBoundary::host_materialization:
        if (!options_.fuse) return "fusion is off";
        return fmt::format("the host may look at what comes before '{}'", name);
      case FusionBoundary::over_budget:
        return fmt::format("with '{}' the launch would need {} bytes, more than the budget", name,
                           g.refused_bytes);
      case FusionBoundary::layout_differs: break;
    }
    return std::string(to_string(g.boundary));
  }

  // The pass sees the buffers of its stages alone.
  std::optional<FusedKernel> fuse(std::size_t first, std::size_t count, std::string& why_not) {
    std::vector<KernelStage> stages;
    std::vector<FusedBuffer> buffers;
    std::vector<std::size_t> own;                 // the pipeline's buffer of each
    std::map<std::size_t, std::size_t> position;  // and back
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
                         .contents = buffer.contents,
                         .reads_as_zero = buffer.starts_empty() && uses_[b].first >= first,
                         .needed_after = !buffer.temporary() || uses_[b].last >= first + count});
    }
    auto fused = fuse_kernels(stages, buffers, options_.limits);
    if (!fused) {
      why_not = describe(fused.error(), stages, buffers);
      return std::nullopt;
    }
    for (std::size_t& b : fused->bindings) b = own[b];
    std::vector<BufferFate> fates(pipeline_.buffers.size(), BufferFate::memory);
    for (std::size_t i = 0; i < own.size(); ++i) fates[own[i]] = fused->fates[i];
    fused->fates = std::move(fates);
    return *std::move(fused);
  }

  void add_launch(std::size_t first, std::size_t count, std::optional<FusedKernel> fused,
                  std::string because) {
    PlannedLaunch& launch = plan_.launches.emplace_back();
    launch.first_stage = first;
    launch.stage_count = count;
    launch.begins_because = std::move(because);
    if (!fused) {
      const ReadyStage& stage = pipeline_.stages[first];
      launch.kernel = stage.kernel;
      launch.extent = stage.extent;
      launch.bindings = stage.bindings;
      return;
    }
    launch.kernel = std::move(fused->kernel);
    launch.extent = fused->extent;
    for (std::size_t i = 0; i < fused->bindings.size(); ++i) {
      launch.bindings.push_back({0, static_cast<std::uint32_t>(i), fused->bindings[i]});
    }
    for (std::size_t b = 0; b < fused->fates.size(); ++b) {
      if (fused->fates[b] != BufferFate::memory) plan_.buffers[b].fate = fused->fates[b];
    }
  }

  // ---- Memory

  // Temporaries share pieces with those that are not alive at the same time. All other buffers
  // have pieces of their own.
  void assign_memory() {
    std::vector<Life> lives(pipeline_.buffers.size());  // in launches
    for (std::size_t l = 0; l < plan_.launches.size(); ++l) {
      for (const StageBinding& b : plan_.launches[l].bindings) lives[b.buffer].add(l);
    }
    std::vector<std::size_t> temporaries;
    std::uint64_t wanted = 0;
    for (std::size_t b = 0; b < lives.size(); ++b) {
      const ReadyBuffer& buffer = pipeline_.buffers[b];
      wanted = saturating_add(wanted, buffer.bytes);
      if (!lives[b].used()) continue;
      if (buffer.temporary()) {
        temporaries.push_back(b);
        continue;
      }
      plan_.buffers[b].memory = plan_.memory.size();
      plan_.memory.push_back(buffer.bytes);
      if (buffer.starts_empty()) clear_at(lives[b].first, b);
    }
    std::ranges::stable_sort(temporaries, {}, [&](std::size_t b) { return lives[b].first; });
    struct Piece {
      std::size_t memory, last;  // the last launch that uses it
    };
    std::vector<Piece> pieces;
    for (const std::size_t b : temporaries) {
      const std::uint64_t bytes = pipeline_.buffers[b].bytes;
      auto piece = std::ranges::find_if(pieces, [&](const Piece& p) {
        return p.last < lives[b].first && plan_.memory[p.memory] >= bytes;
      });
      if (piece == pieces.end()) {
        piece = pieces.insert(piece, {plan_.memory.size(), 0});
        plan_.memory.push_back(bytes);
      }
      piece->last = lives[b].last;
      plan_.buffers[b].memory = piece->memory;
      clear_at(lives[b].first, b);
    }
    for (const std::uint64_t bytes : plan_.memory) {
      plan_.allocated_bytes = saturating_add(plan_.allocated_bytes, bytes);
    }
    plan_.saved_bytes = wanted - std::min(wanted, plan_.allocated_bytes);
  }

  // Unless the launch writes all of it.
  void clear_at(std::size_t at, std::size_t buffer) {
    PlannedLaunch& launch = plan_.launches[at];
    const Program& program = *launch.kernel.program;
    LaunchFacts facts{.extent = launch.extent, .workgroup = program.workgroup, .buffers = {}};
    std::optional<GlobalId> global;
    for (std::uint32_t g = 0; g < program.globals.size(); ++g) {
      BufferFacts& known = facts.buffers.emplace_back();
      for (const StageBinding& b : launch.bindings) {
        if (!is_bound(program.globals[g], b)) continue;
        known = {.identity = static_cast<std::uint32_t>(b.buffer),
                 .bytes = pipeline_.buffers[b.buffer].bytes,
                 .contents = pipeline_.buffers[b.buffer].contents,
                 .written = !pipeline_.buffers[b.buffer].uniform};
        if (b.buffer == buffer) global = GlobalId{g};
      }
    }
    if (global && overwrites(program, facts, *global)) return;
    launch.cleared.push_back(*plan_.buffers[buffer].memory);
  }
  static bool is_bound(const Global& g, const StageBinding& b) {
    return (g.memory == MemoryKind::storage || g.memory == MemoryKind::uniform) &&
           g.group == b.group && g.binding == b.binding;
  }

  Result<void> check_budget() const {
    if (!options_.memory_budget || plan_.allocated_bytes <= *options_.memory_budget) return {};
    std::string each;
    for (std::size_t b = 0; b < pipeline_.buffers.size(); ++b) {
      if (!plan_.buffers[b].memory) continue;
      each += fmt::format("{}{} {}", each.empty() ? "" : ", ", pipeline_.buffers[b].name,
                          pipeline_.buffers[b].bytes);
    }
    return fail(Code::limit,
                fmt::format("the pipeline needs {} bytes of memory, and the budget is {}: {}",
                            plan_.allocated_bytes, *options_.memory_budget, each));
  }

  const ReadyPipeline& pipeline_;
  const PipelinePlanOptions& options_;
  std::vector<Life> uses_;  // stages that use each buffer
  PipelinePlan plan_;
};

std::string extent_text(const Extent& e) {
  if (e[2] != 1) return fmt::format("{}x{}x{}", e[0], e[1], e[2]);
  return e[1] != 1 ? fmt::format("{}x{}", e[0], e[1]) : fmt::format("{}", e[0]);
}

std::string fate_text(const ReadyBuffer& buffer, const PlannedBuffer& plan) {
  switch (plan.fate) {
    case BufferFate::dropped: return "passed on in registers; needs no memory";
    case BufferFate::recomputed: return "computed where it is read; needs no memory";
    case BufferFate::registers: return "in memory, and passed on in registers";
    case BufferFate::memory: break;
  }
  if (!plan.memory) return "not used";
  return buffer.uniform ? "uniform" : buffer.temporary() ? "in memory for a while" : "in memory";
}

}  // namespace

Result<PipelinePlan> plan_pipeline(const ReadyPipeline& pipeline,
                                   const PipelinePlanOptions& options) {
  return Planner(pipeline, options).run();
}

std::string headline(const ReadyPipeline& pipeline, const PipelinePlan& plan) {
  const auto counted = [](std::size_t n, const char* one, const char* many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
  };
  return fmt::format("{}: {} in {}", pipeline.name,
                     counted(pipeline.stages.size(), "stage", "stages"),
                     counted(plan.launches.size(), "launch", "launches"));
}

std::string plan_text(const ReadyPipeline& pipeline, const PipelinePlan& plan) {
  std::string out = fmt::format("{}; {} bytes of memory, {} saved\n\n", headline(pipeline, plan),
                                plan.allocated_bytes, plan.saved_bytes);
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {
    const PlannedLaunch& launch = plan.launches[l];
    if (l != 0) out += fmt::format("---- {}\n", launch.begins_because);
    for (std::size_t i = 0; i < launch.stage_count; ++i) {
      const ReadyStage& stage = pipeline.stages[launch.first_stage + i];
      out += fmt::format("{:<10} {} {}  {} invocations\n",
                         i == 0 ? fmt::format("launch {}", l + 1) : "",
                         launch.stage_count == 1       ? "-"
                         : i == 0                      ? "/"
                         : i + 1 == launch.stage_count ? "\\"
                                                       : "|",
                         stage.name, extent_text(stage.extent));
    }
  }
  out += "\n";
  std::size_t width = 0;
  for (const ReadyBuffer& b : pipeline.buffers) width = std::max(width, b.name.size());
  for (std::size_t b = 0; b < pipeline.buffers.size(); ++b) {
    const ReadyBuffer& buffer = pipeline.buffers[b];
    out += fmt::format("{:<{}}  {:>12} bytes  {}\n", buffer.name, width, buffer.bytes,
                       fate_text(buffer, plan.buffers[b]));
  }
  return out;
}

}  // namespace vyre
