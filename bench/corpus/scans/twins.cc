#include "twin.h"

TWIN(scan_steps, (const u32* __restrict x, u32* __restrict y, N p)) {
#ifdef __CUDACC__
  __shared__ u32 part[256];
  const u32 l = threadIdx.x, i = lane_x();
  part[l] = x[i];
  __syncthreads();
  for (u32 k = 1; k < 256; k *= 2) {
    const u32 v = l >= k ? part[l - k] : 0;
    __syncthreads();
    part[l] += v;
    __syncthreads();
  }
  y[i] = part[l];
#else
#pragma omp parallel for
  for (Index first = 0; first < p.n; first += 256) {
    u32 s = 0;
    for (Index i = first; i < first + 256; ++i) y[i] = s += x[i];
  }
#endif
}

TWIN(scan_tree, (const u32* __restrict x, u32* __restrict y, N p)) {
#ifdef __CUDACC__
  __shared__ u32 part[512];
  const u32 l = threadIdx.x, base = blockIdx.x * 512;
  part[l] = x[base + l];
  part[l + 256] = x[base + l + 256];
  u32 offset = 1;
  for (u32 d = 256; d > 0; d /= 2, offset *= 2) {
    __syncthreads();
    if (l < d) part[offset * (2 * l + 2) - 1] += part[offset * (2 * l + 1) - 1];
  }
  __syncthreads();
  if (l == 0) part[511] = 0;
  for (u32 d = 1; d < 512; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (l < d) {
      const u32 low = offset * (2 * l + 1) - 1, high = offset * (2 * l + 2) - 1, t = part[low];
      part[low] = part[high];
      part[high] += t;
    }
  }
  __syncthreads();
  y[base + l] = part[l];
  y[base + l + 256] = part[l + 256];
#else
#pragma omp parallel for
  for (Index first = 0; first < p.n; first += 512) {
    u32 s = 0;
    for (Index i = first; i < first + 512; ++i) {
      y[i] = s;
      s += x[i];
    }
  }
#endif
}

TWIN(scan_lanes, (Rows p, const float* __restrict x, R* __restrict y)) {
#ifdef __CUDACC__
  EACH(c, p.rows) {
    float s = 0;
    for (u32 i = 0; i < p.width; ++i) y[i * p.rows + c] = s += x[i * p.rows + c];
  }
#else
  constexpr Index kBlock = 64;
#pragma omp parallel for
  for (Index first = 0; first < p.rows; first += kBlock) {
    const Index count = std::min<Index>(kBlock, p.rows - first);
    R s[kBlock] = {};
    for (Index i = 0; i < p.width; ++i) {
      const Index at = i * p.rows + first;
      for (Index c = 0; c < count; ++c) y[at + c] = s[c] += x[at + c];
    }
  }
#endif
}
