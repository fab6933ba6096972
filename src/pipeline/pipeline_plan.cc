#include "vyre/pipeline/pipeline_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <set>

#include "vyre/base/arithmetic.h"
#include "vyre/ir/access/coverage.h"
#include "vyre/pipeline/launch_facts.h"

namespace vyre {
namespace {

constexpr std::size_t kMostStages = 16;  // the most stages of one launch

// The first and the last stage, or launch, that uses a buffer.
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
    find_uses();
    VYRE_CHECK(group());
    for (const FusionGroup& g : plan_.groups.groups) launches_of(g);
    find_loops();
    assign_memory();
    settle_fates();
    VYRE_CHECK(check_budget());
    assign_memory_apart();
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
  static std::set<std::size_t> used_beside_stages(const ReadyLoop& loop) {
    std::set<std::size_t> out(loop.clear.begin(), loop.clear.end());
    if (loop.until) out.insert(loop.until->buffer);
    for (const auto& [a, b] : loop.swap) out.insert({a, b});
    return out;
  }

  std::span<const std::byte> contents_of(std::size_t buffer) const {
    return options_.contents_of(pipeline_, buffer);
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
                         .contents = contents_of(b),
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
    if (fresh && !s.grid) at->second = overwrites_all(s.kernel, s.extent, s.bindings, buffer);
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
  // The loop that a launch is in; null: none.
  PlannedLoop* loop_around(std::size_t launch) {
    for (PlannedLoop& loop : plan_.loops) {
      if (launch >= loop.first_launch && launch < loop.first_launch + loop.launch_count) {
        return &loop;
      }
    }
    return nullptr;
  }

  // ---- Memory

  // The launches during which each buffer needs its memory. A buffer that is used in a loop needs
  // it in all rounds; buffers that change places need theirs from the first use of any of them to
  // the last use of any of them.
  std::vector<Life> lives_in_launches() {
    std::vector<Life> lives(pipeline_.buffers.size());
    for (std::size_t l = 0; l < plan_.launches.size(); ++l) {
      for (const StageBinding& b : plan_.launches[l].bindings) lives[b.buffer].add(l);
      if (plan_.launches[l].grid) lives[plan_.launches[l].grid->buffer].add(l);
      // Data and uniforms that only the stages need, and not the fused kernel.
      for (const PlannedPart& part : plan_.launches[l].parts) {
        for (const StageBinding& b : part.bindings) {
          if (!pipeline_.buffers[b.buffer].temporary()) lives[b.buffer].add(l);
        }
      }
    }
    own_first_.clear();
    for (const Life& life : lives) own_first_.push_back(life.first);
    for (const PlannedLoop& loop : plan_.loops) {
      const std::size_t last = loop.first_launch + loop.launch_count - 1;
      const auto beside = used_beside_stages(pipeline_.loops[loop.loop]);
      for (std::size_t b = 0; b < lives.size(); ++b) {
        const bool inside =
            beside.contains(b) ||
            std::ranges::any_of(
                std::span(plan_.launches).subspan(loop.first_launch, loop.launch_count),
                [&](const PlannedLaunch& launch) { return is_used(launch, b); });
        if (!inside) continue;
        lives[b].add(loop.first_launch);
        lives[b].add(last);
      }
    }
    for (const SwapGroup& group : pipeline_.swap_groups) {
      Life all;
      for (const std::size_t b : group.members) {
        all.add(lives[b].first);
        all.add(lives[b].last);
      }
      for (const std::size_t b : group.members) lives[b] = all;
    }
    return lives;
  }
  static bool is_used(const PlannedLaunch& launch, std::size_t buffer) {
    return (launch.grid && launch.grid->buffer == buffer) ||
           std::ranges::find(launch.bindings, buffer, &StageBinding::buffer) !=
               launch.bindings.end();
  }

  // Temporaries share pieces with those that are not alive at the same time. All other buffers
  // have pieces of their own.
  void assign_memory() {
    const std::vector<Life> lives = lives_in_launches();
    std::vector<std::size_t> temporaries;
    std::uint64_t wanted = 0;
    for (std::size_t b = 0; b < lives.size(); ++b) {
      const ReadyBuffer& buffer = pipeline_.buffers[b];
      wanted = saturating_add(wanted, buffer.bytes);
      if (!lives[b].used()) continue;
      const SwapGroup* group = pipeline_.swap_group(b);
      if (buffer.temporary() && (group == nullptr || begins_anew(pipeline_, *group))) {
        temporaries.push_back(b);
        continue;
      }
      plan_.buffers[b].memory = plan_.memory.size();
      plan_.memory.push_back(buffer.bytes);
      if (buffer.starts_empty()) clear_at(lives[b].first, b);
    }
    share_pieces(lives, std::move(temporaries), plan_.memory,
                 [&](std::size_t b, std::size_t piece) {
                   plan_.buffers[b].memory = piece;
                   clear_at(lives[b].first, b);
                 });
    for (const std::uint64_t bytes : plan_.memory) {
      plan_.allocated_bytes = saturating_add(plan_.allocated_bytes, bytes);
    }
    plan_.saved_bytes = wanted - std::min(wanted, plan_.allocated_bytes);
  }

  // A buffer may be passed on in registers inside one launch, and be read from memory by another
  // one.
  void settle_fates() {
    for (PlannedBuffer& b : plan_.buffers) {
      if (b.memory && b.fate == BufferFate::dropped) b.fate = BufferFate::registers;
    }
  }

  // Gives each buffer, the earliest first, a piece of memory that no buffer alive at the same time
  // has.
  template <class Place>
  void share_pieces(const std::vector<Life>& lives, std::vector<std::size_t> buffers,
                    std::vector<std::uint64_t>& memory, const Place& place) {
    std::ranges::stable_sort(buffers, {}, [&](std::size_t b) { return lives[b].first; });
    struct Piece {
      std::size_t memory, last;  // the last launch that uses it
    };
    std::vector<Piece> pieces;
    for (const std::size_t b : buffers) {
      const std::uint64_t bytes = pipeline_.buffers[b].bytes;
      auto piece = std::ranges::find_if(pieces, [&](const Piece& p) {
        return p.last < lives[b].first && memory[p.memory] >= bytes;
      });
      if (piece == pieces.end()) {
        piece = pieces.insert(piece, {memory.size(), 0});
        memory.push_back(bytes);
      }
      piece->last = lives[b].last;
      place(b, piece->memory);
    }
  }

  // Plans what fused launches need to run as their stages: memory for the buffers that fusion
  // removes, and clears where the first stage that uses a buffer does not write all of it.
  void assign_memory_apart() {
    std::vector<Life> lives(pipeline_.buffers.size());
    std::vector<std::size_t> saved;
    for (std::size_t l = 0; l < plan_.launches.size(); ++l) {
      for (const PlannedPart& part : plan_.launches[l].parts) {
        for (const StageBinding& b : part.bindings) {
          if (plan_.buffers[b.buffer].memory) continue;
          if (!lives[b.buffer].used()) saved.push_back(b.buffer);
          lives[b.buffer].add(l);
        }
      }
    }
    share_pieces(lives, std::move(saved), plan_.memory_apart,
                 [&](std::size_t b, std::size_t piece) {
                   plan_.buffers[b].memory_apart = plan_.memory.size() + piece;
                 });
    std::uint64_t bytes = plan_.allocated_bytes;
    for (const std::uint64_t piece : plan_.memory_apart) bytes = saturating_add(bytes, piece);
    if (options_.memory_budget && bytes > *options_.memory_budget) return never_apart(bytes);
    std::vector<bool> met(pipeline_.buffers.size());
    for (std::size_t l = 0; l < plan_.launches.size(); ++l) {
      PlannedLaunch& launch = plan_.launches[l];
      for (PlannedPart& part : launch.parts) clear_before(part, met);
      for (const StageBinding& b : launch.bindings) met[b.buffer] = true;
      if (launch.grid) met[launch.grid->buffer] = true;
      const PlannedLoop* loop = loop_around(l);
      if (loop == nullptr) continue;
      for (const std::size_t b : used_beside_stages(pipeline_.loops[loop->loop])) met[b] = true;
    }
  }

  void never_apart(std::uint64_t bytes) {
    plan_.never_apart = fmt::format(
        "to compare them with their stages takes {} bytes of memory, more than the budget", bytes);
    plan_.memory_apart.clear();
    for (PlannedLaunch& launch : plan_.launches) launch.parts.clear();
    for (PlannedBuffer& b : plan_.buffers) b.memory_apart.reset();
  }

  // `met`: buffers that an earlier launch or part uses.
  void clear_before(PlannedPart& part, std::vector<bool>& met) {
    for (const StageBinding& b : part.bindings) {
      if (met[b.buffer] || !pipeline_.buffers[b.buffer].starts_empty()) continue;
      met[b.buffer] = true;
      if (!overwrites_all(part.kernel, part.extent, part.bindings, b.buffer)) {
        part.cleared.push_back(b.buffer);
      }
    }
  }

  // Makes a buffer hold zeros when its life begins, unless its first launch writes all of it.
  void clear_at(std::size_t begin, std::size_t buffer) {
    PlannedLoop* loop = loop_around(begin);
    // If a loop uses the buffer first, the buffer is cleared before the loop, wherever in a round
    // it is used.
    std::size_t first = own_first_[buffer];
    const bool in_time = first == begin || (loop != nullptr && loop == loop_around(first)) ||
                         pipeline_.swap_group(buffer) != nullptr;
    if (first != SIZE_MAX && in_time && !swapped_before(first, buffer)) {
      const PlannedLaunch& launch = plan_.launches[first];
      if (!launch.grid && overwrites_all(launch.kernel, launch.extent, launch.bindings, buffer)) {
        return;
      }
    }
    if (loop == nullptr) {
      plan_.launches[begin].cleared.push_back(buffer);
    } else if (!pipeline_.loops[loop->loop].clears(buffer)) {
      loop->cleared.push_back(buffer);
    }
  }
  // Whether a loop before the launch gives the buffer's name to another piece of memory.
  bool swapped_before(std::size_t launch, std::size_t buffer) const {
    const SwapGroup* group = pipeline_.swap_group(buffer);
    if (group == nullptr) return false;
    return std::ranges::any_of(plan_.loops, [&](const PlannedLoop& loop) {
      if (loop.first_launch + loop.launch_count > launch) return false;
      return std::ranges::any_of(pipeline_.loops[loop.loop].swap, [&](const auto& pair) {
        return group->position(pair.first) != group->members.size();
      });
    });
  }
  bool overwrites_all(const Kernel& kernel, const Extent& extent,
                      std::span<const StageBinding> bindings, std::size_t buffer) const {
    const Program& program = *kernel.program;
    const LaunchFacts facts = launch_facts(pipeline_, program, extent, bindings,
                                           [&](std::size_t b) { return contents_of(b); });
    std::optional<GlobalId> global;
    for (std::uint32_t g = 0; g < program.globals.size(); ++g) {
      const StageBinding* bound = binding_of(program.globals[g], bindings);
      if (bound != nullptr && bound->buffer == buffer) global = GlobalId{g};
    }
    return global && overwrites(program, facts, *global);
  }

  Result<void> check_budget() const {
    if (!options_.memory_budget || plan_.allocated_bytes <= *options_.memory_budget) return {};
    return fail(Code::limit,
                fmt::format("the pipeline needs {} bytes of memory, and the budget is {}: {}",
                            plan_.allocated_bytes, *options_.memory_budget,
                            bytes_of_each(pipeline_, plan_)));
  }

  const ReadyPipeline& pipeline_;
  const PipelinePlanOptions& options_;
  std::vector<std::size_t>
      fused_buffers_;       // the buffers of the last fused kernel, in the order of its fates
  std::vector<Life> uses_;  // stages that use each buffer
  std::vector<std::size_t> own_first_;  // the first launch that binds each buffer
  std::map<std::pair<std::size_t, std::size_t>, bool>
      overwrites_;  // whether a stage writes all of a buffer, by stage and buffer
  PipelinePlan plan_;
};

}  // namespace

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
  return Planner(pipeline, options).run();
}

}  // namespace vyre
