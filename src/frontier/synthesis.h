// The kernels of the frontier engine: ordinary programs written around the functions of a graph
// program. Which of them a round launches is decided in rounds.cc.
//
// There are two shapes of each kernel. On the CPU a kernel is a pool of workers, one invocation
// each, that take chunks of the work from a common cursor until none is left (synthesis_*.cc). On a
// GPU the worker is a workgroup: its subgroups take vertices together and spread their edges over
// their lanes, and append what they reach with one atomic (synthesis_group_*.cc).
//
// The inputs and the results of a round are words of one small buffer (control). The frontier is
// always a set of bits; where the round takes or makes a queue, the same vertices are in the queue
// as well. Two sets of bits and two queues change places from round to round; each pair is one
// buffer with two halves.
#pragma once

#include <cstdint>
#include <string_view>

#include "vyre/frontier/functions.h"
#include "vyre/ir/kernel.h"

namespace vyre {

enum class FrontierKernel : std::uint8_t {
  init,            // init for every vertex
  start,           // start for the vertices in the bits; also counts them
  fill_queue,      // bits to a queue
  push_queue,      // edges of the vertices in the queue; reached vertices go to queue and bits
  push_hybrid,     // the same; reached vertices go to bits alone
  push_bits,       // edges of the vertices in the bits; reached vertices go to bits alone
  hubs_queue,      // pieces of the edges of vertices that have many; to queue and bits
  hubs_bits,       // the same; to bits alone
  pull,            // vertices that want look at their incoming edges; bits to bits
  pull_after,      // the same, and `after` for those that were reached
  after_queue,     // after for the vertices in the queue; those that it keeps go to the other queue
  after_bits,      // after for the vertices in the bits
  gather,          // the sums of all vertices
  apply,           // apply for all vertices
  solo,            // rounds of small frontiers, one after the other, by one worker
  count_incoming,  // the transpose: how many edges lead to each vertex
  sum_blocks,      // the sum of each block of counts
  place_blocks,    // counts to offsets
  fill_incoming,   // the edges that lead to each vertex
  sort_incoming,   // sorts these edges into the order of the graph's edges
  crowd,           // rounds of frontiers that are larger, by workgroups that wait for each other
};
inline constexpr std::size_t kFrontierKernels = 21;
std::string_view to_string(FrontierKernel kernel);

// Buffers of the engine: their bindings in the group FrontierFunctions::group.
enum class EngineBuffer : std::uint8_t {
  control,
  offsets,
  columns,
  in_offsets,
  in_columns,
  in_edges,
  queue,
  bits,
  pieces,
  sums,
  records,
  counts,   // while the transpose is made: of edges that lead to each vertex
  blocks,   // while the transpose is made: the sums of blocks of counts
  starts,   // in_offsets while the transpose is made
  sources,  // in_columns while the transpose is made
  origins,  // in_edges while the transpose is made
  inputs,   // of workgroups: the words of the control buffer that only the host writes
};
inline constexpr std::size_t kEngineBuffers = 17;

// Words of the control buffer. Those that workers change together have cache lines of their own.
//
// Workgroups get the first words by value, from a buffer of their own. The others are in one of
// three banks of their control buffer: while the kernels of a round use one bank, they clear the
// next one, so that the host clears nothing between rounds.
namespace control {
enum Word : std::uint32_t {
  round = 0,
  count,    // the number of places of a queue, words of bits or vertices that the kernel works on
  chunk,    // how much of it a worker takes at a time; a crowd ends at frontiers of so few vertices
  workers,  // workgroups with a higher number do nothing
  vertices,  // of the graph
  in_queue,  // where the halves begin
  out_queue,
  in_bits,
  out_bits,
  capacity,       // of a queue
  hub,            // vertices with more edges are cut into pieces
  solo_vertices,  // solo ends beyond these limits
  solo_edges,
  solo_rounds,
  frontier_edges,  // that leave the first frontier of solo
  bank,            // of workgroups
  cursor = 16,
  appended = 32,  // to the queue; may be more than its capacity
  reached = 48,   // vertices of the next frontier
  edges,          // that leave them
  pieces = 64,
  done,     // rounds of solo
  kept,     // of workgroups: vertices that `after` kept in the queue
  largest,  // of workgroups: the largest degree in the next frontier, if it is that of a hub
};
inline constexpr std::uint32_t kWords = 80;
inline constexpr std::uint32_t kInputs = 16;  // the first words, which only the host writes
inline constexpr std::uint32_t kBankWords = kWords - kInputs;
inline constexpr std::uint32_t kBanks = 3;
inline constexpr std::uint32_t kCrowdWord = kBanks * kBankWords;  // at which a crowd waits
inline constexpr std::uint32_t kGroupWords = kCrowdWord + 32;
}  // namespace control

// Vertices with more edges than a worker should take alone are cut into pieces.
struct HubSizes {
  std::uint32_t edges = 0;        // vertices with more are cut
  std::uint32_t piece_edges = 0;  // at most half of `edges`, or as many
};
inline constexpr HubSizes kHubSizes{4096, 2048};
inline constexpr HubSizes kGroupHubSizes{512, 512};  // of a subgroup of workgroups
constexpr HubSizes hub_sizes(std::uint32_t lanes) {
  return lanes == 1 ? kHubSizes : kGroupHubSizes;
}
inline constexpr std::uint32_t kBlockVertices = 4096;
inline constexpr std::uint32_t kSoloRecords = 4096;   // rounds of one launch
inline constexpr std::uint32_t kSoloRecordWords = 2;  // vertices and edges of the frontier
// Workgroups write the results of the launch in front of the records, so that the host gets both
// with one read.
enum SoloResult : std::uint32_t {
  kSoloLeft,  // the frontier that is left: vertices, edges, the largest degree
  kSoloLeftEdges,
  kSoloLeftLargest,
  kSoloDone,
  kSoloResults
};
inline constexpr std::uint32_t kSoloBytes = (kSoloResults + kSoloRecords * kSoloRecordWords) * 4;

// `lanes` is the size of a workgroup: 1, or a multiple of 64 for kernels of workgroups. The kernels
// of the transpose are the same for all programs.
Result<Kernel> make_frontier_kernel(const FrontierFunctions& functions, FrontierKernel kernel,
                                    std::uint32_t lanes);

}  // namespace vyre
