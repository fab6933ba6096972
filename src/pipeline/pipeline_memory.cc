// Gives the buffers of a planned pipeline their memory.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "vyre/base/arithmetic.h"
#include "vyre/pipeline/pipeline_plan_internal.h"

namespace vyre {
namespace {

class MemoryPlanner {
 public:
  MemoryPlanner(const ReadyPipeline& pipeline, const PipelinePlanOptions& options,
                PipelinePlan& plan)
      : pipeline_(pipeline), options_(options), plan_(plan) {}

  Result<void> run() {
    assign_pieces();
    settle_fates();
    VYRE_CHECK(check_budget());
    assign_pieces_apart();
    return {};
  }

 private:
  // The loop that a launch is in; null: none.
  PlannedLoop* loop_around(std::size_t launch) {
    for (PlannedLoop& loop : plan_.loops) {
      if (launch >= loop.first_launch && launch < loop.first_launch + loop.launch_count) {
        return &loop;
      }
    }
    return nullptr;
  }

  // The launches during which each buffer needs its memory. A buffer that is used in a loop needs
  // it in all rounds; buffers that change places need theirs from the first use of any of them to
  // the last use of any of them.
  std::vector<BufferLife> lives_in_launches() {
    std::vector<BufferLife> lives(pipeline_.buffers.size());
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
    for (const BufferLife& life : lives) own_first_.push_back(life.first);
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
      BufferLife all;
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
  void assign_pieces() {
    const std::vector<BufferLife> lives = lives_in_launches();
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
  void share_pieces(const std::vector<BufferLife>& lives, std::vector<std::size_t> buffers,
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
  void assign_pieces_apart() {
    std::vector<BufferLife> lives(pipeline_.buffers.size());
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
      if (!overwrites_all(pipeline_, options_, part.kernel, part.extent, part.bindings, b.buffer)) {
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
      if (!launch.grid && overwrites_all(pipeline_, options_, launch.kernel, launch.extent,
                                         launch.bindings, buffer)) {
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

  Result<void> check_budget() const {
    if (!options_.memory_budget || plan_.allocated_bytes <= *options_.memory_budget) return {};
    return fail(Code::limit,
                fmt::format("the pipeline needs {} bytes of memory, and the budget is {}: {}",
                            plan_.allocated_bytes, *options_.memory_budget,
                            bytes_of_each(pipeline_, plan_)));
  }

  const ReadyPipeline& pipeline_;
  const PipelinePlanOptions& options_;
  PipelinePlan& plan_;
  std::vector<std::size_t> own_first_;  // the first launch that binds each buffer
};

}  // namespace

Result<void> assign_memory(const ReadyPipeline& pipeline, const PipelinePlanOptions& options,
                           PipelinePlan& plan) {
  return MemoryPlanner(pipeline, options, plan).run();
}

}  // namespace vyre
