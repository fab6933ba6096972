// The request to the resident policy before a round, made from the counts of the round before.
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
  std::uint64_t resident_bytes = 0;   // the bytes in device memory, without the queues
  std::uint64_t budget_bytes = 0;     // 0: no limit
  std::uint16_t pressure_bps = 0;     // the memory pressure with queues, in basis points
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

// `hot_windows` is the number of consecutive rounds directly before this one that had the same
// topology.
ResidentRequest frontier_request(const FrontierFacts& facts, const FrontierCounts& counts,
                                 std::uint32_t hot_windows);

// The most vertices and edges of a frontier in a launch of many rounds by one worker, which is a
// workgroup, or on the CPU a thread.
inline constexpr std::uint32_t kSoloVertices = 2048;
inline constexpr std::uint32_t kSoloVerticesHost = 8192;
inline constexpr std::uint32_t kSoloEdges = 16384;
// The same for one workgroup if a crowd can take larger frontiers, which it does faster.
inline constexpr std::uint32_t kShortSoloVertices = 256;
inline constexpr std::uint32_t kShortSoloEdges = 4096;
// The largest frontier of a crowd, and the frontier below which it leaves the rounds to one
// workgroup.
inline constexpr std::uint32_t kCrowdVertices = 32768;
inline constexpr std::uint32_t kCrowdEdges = 262144;
inline constexpr std::uint32_t kCrowdLeast = 32;
// The largest frontier for such a launch, so that the next frontier still fits into the queue.
FrontierCounts largest_solo(const FrontierFacts& facts);
// The largest frontier that the policy leaves to such a launch: after a sparse round, it answers
// "sparse" for all frontiers up to these counts. Both are 0 if it never does.
FrontierCounts solo_limits(const ResidentPolicy& policy, const FrontierFacts& facts);
// The same for a launch by a crowd; 0 if the device runs no crowds.
FrontierCounts largest_crowd(const FrontierFacts& facts);
FrontierCounts crowd_limits(const ResidentPolicy& policy, const FrontierFacts& facts);

}  // namespace vyre
