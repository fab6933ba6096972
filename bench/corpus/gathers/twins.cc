#include "twin.h"

TWIN(permute, (const float* __restrict x, const u32* __restrict at, R* __restrict y, N p)) {
  EACH(i, p.n) y[i] = x[at[i]];
}

TWIN(scatter, (const float* __restrict x, const u32* __restrict at, R* __restrict y, N p)) {
  EACH(i, p.n) y[at[i]] = x[i];
}

TWIN(table_lookup,
     (const float* __restrict x, const float* __restrict table, R* __restrict y, N p)) {
  EACH(i, p.n) {
    const R t = R(x[i]) * 1022;
    const i32 k = i32(t);
    const R f = t - R(k);
    y[i] = table[k] * (1 - f) + table[k + 1] * f;
  }
}

#ifndef __CUDACC__
// Each thread counts for itself.
template <std::size_t kBins, class Bin>
static void count_bins(const u32* __restrict x, Index n, u32* bins, Bin bin) {
#pragma omp parallel
  {
    u32 mine[kBins] = {};
#pragma omp for nowait
    for (Index i = 0; i < n; ++i) ++mine[bin(x[i])];
    for (std::size_t b = 0; b < kBins; ++b) add_atomically(&bins[b], mine[b]);
  }
}
#endif

TWIN(histogram_storage, (N p, const u32* __restrict x, u32* __restrict bins)) {
#ifdef __CUDACC__
  EACH(i, p.n) atomicAdd(&bins[x[i] >> 22], 1);
#else
  count_bins<1024>(x, p.n, bins, [](u32 v) { return v >> 22; });
#endif
}

TWIN(histogram_groups, (N p, const u32* __restrict x, u32* __restrict bins)) {
#ifdef __CUDACC__
  __shared__ u32 mine[64];
  const u32 l = threadIdx.x, end = min(p.n, (blockIdx.x + 1) * 4096);
  if (l < 64) mine[l] = 0;
  __syncthreads();
  for (u32 i = blockIdx.x * 4096 + l; i < end; i += 256) atomicAdd(&mine[x[i] & 63], 1);
  __syncthreads();
  if (l < 64) atomicAdd(&bins[l], mine[l]);
#else
  count_bins<64>(x, p.n, bins, [](u32 v) { return v & 63; });
#endif
}

struct Search {
  u32 n, m;
};
TWIN(binary_search,
     (Search p, const u32* __restrict keys, const u32* __restrict sorted, u32* __restrict y)) {
  EACH(i, p.n) {
#ifdef __CUDACC__
    const u32 key = keys[i];
    u32 low = 0, high = p.m;
    while (low < high) {
      const u32 middle = (low + high) / 2;
      if (sorted[middle] < key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    y[i] = low;
#else
    y[i] = static_cast<u32>(std::lower_bound(sorted, sorted + p.m, keys[i]) - sorted);
#endif
  }
}
