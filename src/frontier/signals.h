// What the resident policy is asked before a round, made from what was counted in the round before.
#pragma once

#include <cstdint>
#include <optional>

#include "vyre/resident/policy.h"
#include "vyre/resident/recommend.h"

namespace vyre {

// What does not change during a run.
struct FrontierFacts {
  std::uint32_t vertices = 0, edges = 0;  // of the graph
  std::uint32_t workers = 1;              // workgroups that the device runs at once
  std::uint32_t lanes = 1;                // workers in one of them
  std::uint32_t worker_edges = 4096;  // edges, or words of bits, for which one more is requested
  std::uint32_t hit_capacity = 1;     // of a queue; 1: there are no queues
  std::uint64_t resident_bytes = 0;   // without the queues
  std::uint64_t budget_bytes = 0;     // 0: no limit
  std::uint16_t pressure_bps = 0;     // of memory, as if there were queues
  bool crowds = false;                // workgroups may run rounds together in one launch
};

struct FrontierCounts {
  std::uint32_t vertices = 0;  // of the frontier
  std::uint32_t edges = 0;     // that leave it
};

// Edges of a round for which another worker is started: a thread, or a workgroup of many lanes.
inline constexpr std::uint32_t kWorkerEdges = 4096, kGroupEdges = 512;

// The share of the graph that a frontier is, in basis points: of the vertices or of the edges,
// whichever is larger, because a few vertices with many edges are as much work as many vertices.
std::uint16_t density_bps(const FrontierFacts& facts, const FrontierCounts& counts);

// `hot_windows` is the number of rounds directly before this one that had one topology.
ResidentRequest frontier_request(const FrontierFacts& facts, const FrontierCounts& counts,
                                 std::uint32_t hot_windows);

// The largest frontier that a launch of many rounds may take: after a sparse round, the policy
// answers "sparse" for all frontiers up to these counts. Both are 0 where it never does.
inline constexpr std::uint32_t kSoloVertices = 2048;      // of one workgroup
inline constexpr std::uint32_t kSoloVerticesHost = 8192;  // of one thread
inline constexpr std::uint32_t kSoloEdges = 16384;
// Of one workgroup where a crowd takes larger frontiers, and faster.
inline constexpr std::uint32_t kShortSoloVertices = 256;
inline constexpr std::uint32_t kShortSoloEdges = 4096;
// Of a crowd, and the frontier that it leaves to one workgroup.
inline constexpr std::uint32_t kCrowdVertices = 32768;
inline constexpr std::uint32_t kCrowdEdges = 262144;
inline constexpr std::uint32_t kCrowdLeast = 32;
// What a queue holds of the next frontier, whatever the policy says.
FrontierCounts largest_solo(const FrontierFacts& facts);
FrontierCounts solo_limits(const ResidentPolicy& policy, const FrontierFacts& facts);
// The same for a launch of many rounds by a crowd; 0 where there is none.
FrontierCounts largest_crowd(const FrontierFacts& facts);
FrontierCounts crowd_limits(const ResidentPolicy& policy, const FrontierFacts& facts);

}  // namespace vyre
