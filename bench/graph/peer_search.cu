// Breadth-first search written by hand for NVIDIA GPUs: what vyre's is compared with.
//
//   nvcc -O3 -std=c++17 -arch=sm_90 peer_search.cu -o peer_search
//   peer_search path:N | grid:WxH | FILE.sg [FROM] [RUNS]
//
// FROM is "-" for the first vertex that has an edge, as in `vyre graph`.
// Every run is one launch for all levels. Small frontiers (`--way block|cluster|grid`, for paths and
// grids) are pushed along queues by one block, by a cluster of blocks, or by all blocks. `--way
// switch` is for graphs with few levels: it pushes small frontiers and pulls large ones. Without
// --way, all that suit the graph run. The fastest run of each way is printed, and all runs of the
// best way in lines that begin with "Trial Time:". The depths are compared with a serial search's.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace cg = cooperative_groups;

#define CHECK(call)                                                                       \
  do {                                                                                    \
    const cudaError_t error = (call);                                                     \
    if (error != cudaSuccess) {                                                           \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error));         \
      std::exit(1);                                                                       \
    }                                                                                     \
  } while (0)

using u32 = std::uint32_t;
constexpr u32 kAll = 0xffffffffu, kUnreached = 0xffffffffu;

struct Csr {
  std::vector<u32> offsets, columns;
  u32 vertices() const { return static_cast<u32>(offsets.size() - 1); }
};

struct Search {
  const u32 *offsets, *columns;
  u32 *depth, *queue[2], *bits[2], *hubs, *counts;
  u32 vertices, edges, from;
};

// Words of `counts`: lengths of queues by the level's remainder by 3, edges that leave them, pieces
// of hubs, and the number of levels.
enum Count : u32 { kLength = 0, kEdges = 4, kPieces = 8, kLevels = 12, kCounts = 16 };

// ---- Many levels with small frontiers ---------------------------------------------------------

constexpr u32 kLanesOfVertex = 4;

template <class Group>
__device__ void push_levels(const Group& group, const Search& s) {
  const u32 lane = threadIdx.x % 32, own = lane % kLanesOfVertex;
  const u32 stride = gridDim.x * blockDim.x / kLanesOfVertex;
  const u32 first = (blockIdx.x * blockDim.x + threadIdx.x) / kLanesOfVertex;
  const bool leads = blockIdx.x == 0 && threadIdx.x == 0;
  u32 level = 0;
  for (;; ++level) {
    const u32 length = *reinterpret_cast<volatile u32*>(s.counts + kLength + level % 3);
    if (length == 0) break;
    const u32* now = s.queue[level % 2];
    u32* next = s.queue[1 - level % 2];
    u32* appended = s.counts + kLength + (level + 1) % 3;
    if (leads) s.counts[kLength + (level + 2) % 3] = 0;
    for (u32 i = first; __any_sync(kAll, i < length); i += stride) {
      u32 edge = 0, end = 0;
      if (i < length) {
        const u32 vertex = __ldcg(now + i);
        edge = s.offsets[vertex] + own;
        end = s.offsets[vertex + 1];
      }
      for (; __any_sync(kAll, edge < end); edge += kLanesOfVertex) {
        bool won = false;
        u32 target = 0;
        if (edge < end) {
          target = s.columns[edge];
          won = __ldcg(s.depth + target) == kUnreached &&
                atomicCAS(s.depth + target, kUnreached, level + 1) == kUnreached;
        }
        const u32 winners = __ballot_sync(kAll, won);
        if (winners == 0) continue;
        u32 at = 0;
        if (lane == 0) at = atomicAdd(appended, __popc(winners));
        at = __shfl_sync(kAll, at, 0) + __popc(winners & ((1u << lane) - 1));
        if (won) __stcg(next + at, target);
      }
    }
    group.sync();
  }
  if (leads) s.counts[kLevels] = level;
}

__global__ void push_grid(Search s) { push_levels(cg::this_grid(), s); }
__global__ void push_cluster(Search s) { push_levels(cg::this_cluster(), s); }

// One block has its queues and counters in shared memory, as far as they fit.
constexpr u32 kShared = 5120;

__global__ void __launch_bounds__(1024) push_block(Search s) {
  __shared__ u32 queue[2][kShared];
  __shared__ u32 length[3];
  const u32 lane = threadIdx.x % 32, own = lane % kLanesOfVertex;
  if (threadIdx.x == 0) {
    length[0] = 1, length[1] = length[2] = 0;
    queue[0][0] = s.from;
  }
  __syncthreads();
  u32 level = 0;
  for (;; ++level) {
    const u32 count = length[level % 3];
    if (count == 0) break;
    if (threadIdx.x == 0) length[(level + 2) % 3] = 0;
    const u32 now = level % 2, next = 1 - now;
    for (u32 i = threadIdx.x / kLanesOfVertex; __any_sync(kAll, i < count);
         i += blockDim.x / kLanesOfVertex) {
      u32 edge = 0, end = 0;
      if (i < count) {
        const u32 vertex = i < kShared ? queue[now][i] : s.queue[now][i];
        edge = s.offsets[vertex] + own;
        end = s.offsets[vertex + 1];
      }
      for (; __any_sync(kAll, edge < end); edge += kLanesOfVertex) {
        bool won = false;
        u32 target = 0;
        if (edge < end) {
          target = s.columns[edge];
          won = __ldcg(s.depth + target) == kUnreached &&
                atomicCAS(s.depth + target, kUnreached, level + 1) == kUnreached;
        }
        const u32 winners = __ballot_sync(kAll, won);
        if (winners == 0) continue;
        u32 at = 0;
        if (lane == 0) at = atomicAdd(&length[(level + 1) % 3], __popc(winners));
        at = __shfl_sync(kAll, at, 0) + __popc(winners & ((1u << lane) - 1));
        if (won) (at < kShared ? queue[next][at] : s.queue[next][at]) = target;
      }
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) s.counts[kLevels] = level;
}

// ---- Few levels with large frontiers ----------------------------------------------------------

constexpr u32 kHub = 1024, kPiece = 512;

__device__ u32 sum_of_warp(u32 value) { return __reduce_add_sync(kAll, value); }

// One edge of each lane.
__device__ void push_edge(const Search& s, bool there, u32 edge, u32 level, u32* next,
                          u32* appended, u32& edges) {
  const u32 lane = threadIdx.x % 32;
  bool won = false;
  u32 target = 0;
  if (there) {
    target = s.columns[edge];
    won = __ldcg(s.depth + target) == kUnreached &&
          atomicCAS(s.depth + target, kUnreached, level + 1) == kUnreached;
  }
  const u32 winners = __ballot_sync(kAll, won);
  if (winners == 0) return;
  u32 at = 0;
  if (lane == 0) at = atomicAdd(appended, __popc(winners));
  at = __shfl_sync(kAll, at, 0) + __popc(winners & ((1u << lane) - 1));
  if (won) {
    __stcg(next + at, target);
    edges += s.offsets[target + 1] - s.offsets[target];
  }
}

__device__ void push_level(const cg::grid_group& grid, const Search& s, u32 level, u32 length) {
  const u32 lane = threadIdx.x % 32;
  const u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const u32 warps = gridDim.x * blockDim.x / 32;
  const u32* now = s.queue[level % 2];
  u32* next = s.queue[1 - level % 2];
  u32* appended = s.counts + kLength + (level + 1) % 3;
  u32* pieces = s.counts + kPieces + level % 3;
  u32 edges = 0;
  const u32 batch = min(32u, max(1u, length / warps));
  for (u32 begin = warp * batch; begin < length; begin += warps * batch) {
    u32 first = 0, degree = 0;
    if (lane < batch && begin + lane < length) {
      const u32 vertex = __ldcg(now + begin + lane);
      first = s.offsets[vertex];
      degree = s.offsets[vertex + 1] - first;
      if (degree > kHub) {
        const u32 count = (degree + kPiece - 1) / kPiece, at = atomicAdd(pieces, count);
        for (u32 i = 0; i < count; ++i) {
          s.hubs[2 * (at + i)] = first + i * kPiece;
          s.hubs[2 * (at + i) + 1] = min(first + degree, first + (i + 1) * kPiece);
        }
        degree = 0;
      }
    }
    u32 before = degree;
    for (u32 step = 1; step < 32; step *= 2) {
      const u32 other = __shfl_up_sync(kAll, before, step);
      if (lane >= step) before += other;
    }
    const u32 all = __shfl_sync(kAll, before, 31);
    before -= degree;
    const u32 base = first - before;
    for (u32 at = 0; at < all; at += 32) {
      const u32 number = at + lane;
      u32 owner = 0;
      for (u32 step = 16; step != 0; step /= 2) {
        if (__shfl_sync(kAll, before, owner + step) <= number) owner += step;
      }
      const u32 edge = __shfl_sync(kAll, base, owner) + number;
      push_edge(s, number < all, edge, level, next, appended, edges);
    }
  }
  grid.sync();
  const u32 count = *reinterpret_cast<volatile u32*>(pieces);
  for (u32 piece = warp; piece < count; piece += warps) {
    const u32 first = __ldcg(s.hubs + 2 * piece), last = __ldcg(s.hubs + 2 * piece + 1);
    for (u32 edge = first; edge < last; edge += 32) {
      push_edge(s, edge + lane < last, edge + lane, level, next, appended, edges);
    }
  }
  edges = sum_of_warp(edges);
  if (lane == 0 && edges != 0) atomicAdd(s.counts + kEdges + (level + 1) % 3, edges);
}

// Each lane has a vertex; those that are still looking after a few edges are helped by the warp.
__device__ void pull_level(const Search& s, u32 level, const u32* now, u32* next) {
  const u32 lane = threadIdx.x % 32;
  const u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const u32 warps = gridDim.x * blockDim.x / 32;
  u32 reached = 0, edges = 0;
  const auto is_in = [&](u32 source) { return (now[source / 32] >> (source % 32)) & 1u; };
  for (u32 word = warp; word < (s.vertices + 31) / 32; word += warps) {
    const u32 vertex = word * 32 + lane;
    u32 first = 0, edge = 0, last = 0;
    bool hit = false;
    if (vertex < s.vertices && s.depth[vertex] == kUnreached) {
      first = edge = s.offsets[vertex];
      last = s.offsets[vertex + 1];
    }
    for (u32 i = 0; i < 8 && edge < last && !hit; ++i, ++edge) hit = is_in(s.columns[edge]);
    u32 rest = __ballot_sync(kAll, !hit && edge < last);
    while (rest != 0) {
      const u32 owner = __ffs(rest) - 1;
      rest &= rest - 1;
      const u32 end = __shfl_sync(kAll, last, owner);
      for (u32 at = __shfl_sync(kAll, edge, owner); at < end; at += 32) {
        if (__any_sync(kAll, at + lane < end && is_in(s.columns[at + lane]))) {
          if (lane == owner) hit = true;
          break;
        }
      }
    }
    if (hit) {
      s.depth[vertex] = level + 1;
      edges += last - first;
    }
    const u32 hits = __ballot_sync(kAll, hit);
    if (lane == 0) next[word] = hits;
    reached += hit;
  }
  reached = sum_of_warp(reached);
  edges = sum_of_warp(edges);
  if (lane == 0 && reached != 0) {
    atomicAdd(s.counts + kLength + (level + 1) % 3, reached);
    atomicAdd(s.counts + kEdges + (level + 1) % 3, edges);
  }
}

__global__ void __launch_bounds__(512, 4) search_switching(Search s) {
  const auto grid = cg::this_grid();
  const u32 index = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  const u32 words = (s.vertices + 31) / 32;
  bool in_bits = false;
  u32 level = 0, side = 0;
  for (;; ++level) {
    const u32 length = *reinterpret_cast<volatile u32*>(s.counts + kLength + level % 3);
    const u32 edges = *reinterpret_cast<volatile u32*>(s.counts + kEdges + level % 3);
    if (length == 0) break;
    if (index == 0) {
      s.counts[kLength + (level + 2) % 3] = 0;
      s.counts[kEdges + (level + 2) % 3] = 0;
      s.counts[kPieces + (level + 2) % 3] = 0;
    }
    const bool pulls = edges > s.edges / 20 || length > s.vertices / 20;
    if (pulls && !in_bits) {
      for (u32 i = index; i < words; i += all) s.bits[side][i] = 0;
      grid.sync();
      for (u32 i = index; i < length; i += all) {
        const u32 vertex = __ldcg(s.queue[level % 2] + i);
        atomicOr(s.bits[side] + vertex / 32, 1u << (vertex % 32));
      }
      grid.sync();
    } else if (!pulls && in_bits) {
      u32* filled = s.counts + kPieces + 3;
      if (index == 0) *filled = 0;
      grid.sync();
      for (u32 i = index; i < words; i += all) {
        u32 bits = s.bits[side][i];
        if (bits == 0) continue;
        u32 at = atomicAdd(filled, __popc(bits));
        for (; bits != 0; bits &= bits - 1) s.queue[level % 2][at++] = i * 32 + __ffs(bits) - 1;
      }
      grid.sync();
    }
    in_bits = pulls;
    if (pulls) {
      pull_level(s, level, s.bits[side], s.bits[1 - side]);
      side = 1 - side;
    } else {
      push_level(grid, s, level, length);
    }
    grid.sync();
  }
  if (index == 0) s.counts[kLevels] = level;
}

// ---- Graphs, runs -----------------------------------------------------------------------------

static Csr graph_of(u32 vertices, const std::vector<std::pair<u32, u32>>& steps, u32 width) {
  Csr g;
  g.offsets.push_back(0);
  for (u32 v = 0; v < vertices; ++v) {
    const u32 x = v % width;
    for (const auto& [back, on] : steps) {
      if (back != 0 && v >= back && (back != 1 || x != 0)) g.columns.push_back(v - back);
      if (on != 0 && v + on < vertices && (on != 1 || x + 1 != width)) g.columns.push_back(v + on);
    }
    g.offsets.push_back(static_cast<u32>(g.columns.size()));
  }
  return g;
}

static Csr read_sg(const char* name) {
  std::FILE* file = std::fopen(name, "rb");
  bool directed = false;
  std::int64_t edges = 0, vertices = 0;
  if (file == nullptr || std::fread(&directed, 1, 1, file) != 1 ||
      std::fread(&edges, 8, 1, file) != 1 || std::fread(&vertices, 8, 1, file) != 1) {
    std::fprintf(stderr, "cannot read %s\n", name);
    std::exit(1);
  }
  std::vector<std::int64_t> offsets(vertices + 1);
  Csr g;
  bool whole = !directed && std::fread(offsets.data(), 8, offsets.size(), file) == offsets.size();
  g.offsets.assign(offsets.begin(), offsets.end());
  g.columns.resize(whole ? offsets.back() : 0);
  whole = whole && std::fread(g.columns.data(), 4, g.columns.size(), file) == g.columns.size();
  std::fclose(file);
  if (!whole) {
    std::fprintf(stderr, "%s ends early, or is directed\n", name);
    std::exit(1);
  }
  return g;
}

static std::vector<u32> serial_depths(const Csr& g, u32 from) {
  std::vector<u32> depth(g.vertices(), kUnreached), queue{from};
  depth[from] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const u32 v = queue[i];
    for (u32 e = g.offsets[v]; e < g.offsets[v + 1]; ++e) {
      const u32 w = g.columns[e];
      if (depth[w] != kUnreached) continue;
      depth[w] = depth[v] + 1;
      queue.push_back(w);
    }
  }
  return depth;
}

template <class T>
static T* on_device(const std::vector<T>& from) {
  T* to = nullptr;
  CHECK(cudaMalloc(&to, std::max<std::size_t>(from.size(), 1) * sizeof(T)));
  CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  return to;
}

struct Way {
  std::string name;
  const void* kernel;
  u32 blocks, threads, cluster;
};

static void launch(const Way& way, Search s) {
  void* arguments[] = {&s};
  cudaLaunchConfig_t config{};
  config.gridDim = way.blocks;
  config.blockDim = way.threads;
  cudaLaunchAttribute attribute[1];
  config.attrs = attribute;
  config.numAttrs = 1;
  if (way.cluster != 0) {
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim = {way.cluster, 1, 1};
  } else {
    attribute[0].id = cudaLaunchAttributeCooperative;
    attribute[0].val.cooperative = 1;
  }
  CHECK(cudaLaunchKernelExC(&config, way.kernel, arguments));
}

int main(int count, char** words) {
  std::vector<std::string> plain;
  std::string only;
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(words[i], "--way") == 0 && i + 1 < count) {
      only = words[++i];
    } else {
      plain.push_back(words[i]);
    }
  }
  if (plain.empty()) {
    std::fprintf(stderr, "peer_search GRAPH [FROM] [RUNS] [--way NAME]\n");
    return 1;
  }
  const std::string& name = plain[0];
  const bool given = plain.size() > 1 && plain[1] != "-";
  u32 from = given ? std::atoi(plain[1].c_str()) : 0;
  const int runs = plain.size() > 2 ? std::atoi(plain[2].c_str()) : 5;
  u32 width = 0, height = 0;
  Csr g;
  if (std::sscanf(name.c_str(), "path:%u", &width) == 1) {
    g = graph_of(width, {{1, 1}}, width);
  } else if (std::sscanf(name.c_str(), "grid:%ux%u", &width, &height) == 2) {
    g = graph_of(width * height, {{width, 1}, {1, width}}, width);
  } else {
    g = read_sg(name.c_str());
  }
  while (!given && from + 1 < g.vertices() && g.offsets[from] == g.offsets[from + 1]) ++from;
  const std::vector<u32> expected = serial_depths(g, from);
  const u32 n = g.vertices();
  std::uint64_t reached_edges = 0;
  for (u32 v = 0; v < n; ++v) {
    if (expected[v] != kUnreached) reached_edges += g.offsets[v + 1] - g.offsets[v];
  }
  const std::vector<u32> empty(n), bits((n + 31) / 32), pieces(g.columns.size() / kPiece * 4 + 8);
  Search s{on_device(g.offsets), on_device(g.columns), on_device(empty),
           {on_device(empty), on_device(empty)}, {on_device(bits), on_device(bits)},
           on_device(pieces), on_device(std::vector<u32>(kCounts)),
           n, static_cast<u32>(g.columns.size()), from};
  cudaDeviceProp device{};
  CHECK(cudaGetDeviceProperties(&device, 0));
  const u32 all = device.multiProcessorCount;
  CHECK(cudaFuncSetAttribute(push_cluster, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  int fitting = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fitting, search_switching, 512, 0));
  std::vector<Way> ways;
  if (width != 0) {
    for (const u32 threads : {128u, 256u, 512u, 1024u}) {
      ways.push_back({"block", reinterpret_cast<const void*>(push_block), 1, threads, 0});
    }
    ways.push_back({"cluster", reinterpret_cast<const void*>(push_cluster), 16, 512, 16});
    ways.push_back({"grid", reinterpret_cast<const void*>(push_grid), all, 256, 0});
    ways.push_back({"grid", reinterpret_cast<const void*>(push_grid), all, 512, 0});
  } else {
    ways.push_back({"switch", reinterpret_cast<const void*>(search_switching), all * fitting, 512, 0});
  }
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> best;
  for (const Way& way : ways) {
    if (!only.empty() && way.name != only) continue;
    std::vector<float> times;
    u32 levels = 0;
    for (int run = 0; run < runs + 1; ++run) {
      std::vector<u32> counts(kCounts);
      counts[kLength] = 1;
      counts[kEdges] = g.offsets[from + 1] - g.offsets[from];
      CHECK(cudaMemcpy(s.counts, counts.data(), kCounts * 4, cudaMemcpyHostToDevice));
      CHECK(cudaMemcpy(s.queue[0], &from, 4, cudaMemcpyHostToDevice));
      CHECK(cudaEventRecord(begin));
      CHECK(cudaMemsetAsync(s.depth, 0xff, std::size_t{n} * 4));
      CHECK(cudaMemsetAsync(s.depth + from, 0, 4));
      launch(way, s);
      CHECK(cudaEventRecord(end));
      CHECK(cudaEventSynchronize(end));
      float milliseconds = 0;
      CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
      if (run != 0) times.push_back(milliseconds);  // the first run warms up
      CHECK(cudaMemcpy(&levels, s.counts + kLevels, 4, cudaMemcpyDeviceToHost));
    }
    std::vector<u32> depth(n);
    CHECK(cudaMemcpy(depth.data(), s.depth, std::size_t{n} * 4, cudaMemcpyDeviceToHost));
    const float least = *std::min_element(times.begin(), times.end());
    std::printf("%s, %u blocks of %u: %.4f ms, %u levels, %.3f us a level, %.1f GTEPS, %s\n",
                way.name.c_str(), way.blocks, way.threads, least, levels,
                least * 1e3 / std::max(levels, 1u), double(reached_edges) / least * 1e-6,
                depth == expected ? "right" : "WRONG");
    if (depth != expected) return 1;
    if (best.empty() || least < *std::min_element(best.begin(), best.end())) best = times;
  }
  for (const float milliseconds : best) std::printf("Trial Time: %.9f\n", milliseconds * 1e-3);
  return 0;
}
