#include "twin.h"

struct Network {
  u32 n, block, distance;
};
TWIN(bitonic_step, (Network p, u32* x)) {
#ifdef __CUDACC__
  EACH(i, p.n) {
    const u32 j = i ^ p.distance;
    if (j <= i) return;
    const u32 a = x[i], b = x[j];
    if ((a > b) == ((i & p.block) == 0)) {
      x[i] = b;
      x[j] = a;
    }
  }
#else
#pragma omp parallel for
  for (Index first = 0; first < p.n; first += 2 * p.distance) {
    u32* __restrict low = x + first;
    u32* __restrict high = low + p.distance;
    const bool up = (first & p.block) == 0;
    for (Index i = 0; i < p.distance; ++i) {
      const u32 least = std::min(low[i], high[i]), most = std::max(low[i], high[i]);
      low[i] = up ? least : most;
      high[i] = up ? most : least;
    }
  }
#endif
}

TWIN(sort_blocks, (u32 * x, N p)) {
#ifdef __CUDACC__
  __shared__ u32 v[256];
  const u32 l = threadIdx.x, i = lane_x();
  v[l] = x[i];
  for (u32 block = 2; block <= 256; block *= 2) {
    for (u32 distance = block / 2; distance > 0; distance /= 2) {
      __syncthreads();
      const u32 j = l ^ distance;
      if (j > l) {
        const u32 a = v[l], b = v[j];
        if ((a > b) == ((l & block) == 0)) {
          v[l] = b;
          v[j] = a;
        }
      }
    }
  }
  __syncthreads();
  x[i] = v[l];
#else
#pragma omp parallel for
  for (Index first = 0; first < p.n; first += 256) std::sort(x + first, x + first + 256);
#endif
}

TWIN(rank_sort, (N p, const u32* __restrict x, u32* __restrict y)) {
#ifdef __CUDACC__
  EACH(r, p.n) {
    const u32 v = x[r];
    u32 rank = 0;
    for (u32 i = 0; i < p.n; ++i) rank += x[i] < v;
    y[rank] = v;
  }
#else
#pragma omp parallel for
  for (Index r = 0; r < p.n; ++r) {
    u32 rank = 0;
#pragma omp simd reduction(+ : rank)
    for (Index i = 0; i < p.n; ++i) rank += x[i] < x[r];
    y[rank] = x[r];
  }
#endif
}

TWIN(radix_counts, (const u32* __restrict x, u32* __restrict counts, N p)) {
#ifdef __CUDACC__
  __shared__ u32 mine[16];
  const u32 l = threadIdx.x;
  if (l < 16) mine[l] = 0;
  __syncthreads();
  for (u32 i = l; i < 1024; i += 128) atomicAdd(&mine[x[blockIdx.x * 1024 + i] >> 28], 1);
  __syncthreads();
  if (l < 16) counts[blockIdx.x * 16 + l] = mine[l];
#else
#pragma omp parallel for
  for (Index block = 0; block < p.n / 16; ++block) {
    u32 mine[16] = {};
    for (Index i = 0; i < 1024; ++i) ++mine[x[block * 1024 + i] >> 28];
    for (Index d = 0; d < 16; ++d) counts[block * 16 + d] = mine[d];
  }
#endif
}
