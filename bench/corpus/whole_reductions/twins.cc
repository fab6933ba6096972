#include "twin.h"

// The results of workgroups are their parts of a grid-stride loop; in C++ as well, because the
// buffer wants them.
#ifndef __CUDACC__
template <class Part>
static void parts_of(Index n, Index groups, Part part) {
  constexpr Index kGroups = 8;  // whose blocks lie side by side
#pragma omp parallel for
  for (Index begin = 0; begin < groups; begin += kGroups) {
    for (Index stripe = 0; stripe < n; stripe += groups * 256) {
      for (Index g = begin; g < std::min(begin + kGroups, groups); ++g) {
        const Index first = stripe + g * 256;
        if (first < n) part(g, first, std::min<Index>(first + 256, n));
      }
    }
  }
}
#endif

TWIN(squared_differences,
     (N p, const float* __restrict x, const float* __restrict z, R* __restrict y, N groups)) {
#ifdef __CUDACC__
  __shared__ float part[256];
  const u32 l = threadIdx.x;
  float s = 0;
  for (u32 i = lane_x(); i < p.n; i += gridDim.x * 256) s += (x[i] - z[i]) * (x[i] - z[i]);
  part[l] = s;
  TREE(128, part[l] += part[l + k])
  if (l == 0) y[blockIdx.x] = part[0];
#else
  for (Index g = 0; g < groups.n; ++g) y[g] = 0;
  parts_of(p.n, groups.n, [&](Index g, Index first, Index end) {
    R s = 0;
#pragma omp simd reduction(+ : s)
    for (Index i = first; i < end; ++i) s += (R(x[i]) - z[i]) * (R(x[i]) - z[i]);
    y[g] += s;
  });
#endif
}

TWIN(total_of_words, (N p, const u32* __restrict x, u32* __restrict y)) {
#ifdef __CUDACC__
  __shared__ u32 part[256];
  const u32 l = threadIdx.x;
  u32 s = 0;
  for (u32 i = lane_x(); i < p.n; i += gridDim.x * 256) s += x[i];
  part[l] = s;
  TREE(128, part[l] += part[l + k])
  if (l == 0) atomicAdd(y, part[0]);
#else
  u32 s = 0;
#pragma omp parallel for simd reduction(+ : s)
  for (Index i = 0; i < p.n; ++i) s += x[i];
  *y += s;
#endif
}

TWIN(count_bits, (N p, const u32* __restrict x, u32* __restrict y)) {
#ifdef __CUDACC__
  u32 s = 0;
  for (u32 i = lane_x(); i < p.n; i += gridDim.x * 256) s += population(x[i]);
  atomicAdd(y, s);
#else
  u32 s = 0;
#pragma omp parallel for simd reduction(+ : s)
  for (Index i = 0; i < p.n; ++i) s += population(x[i]);
  *y += s;
#endif
}

TWIN(least_and_most, (N p, const float* __restrict x, vec2<R>* __restrict y, N words)) {
#ifdef __CUDACC__
  __shared__ float2 part[256];
  const u32 l = threadIdx.x;
  float low = 3e38f, high = -3e38f;
  for (u32 i = lane_x(); i < p.n; i += gridDim.x * 256) {
    low = fminf(low, x[i]);
    high = fmaxf(high, x[i]);
  }
  part[l] = {low, high};
  TREE(128, part[l] = make_float2(fminf(part[l].x, part[l + k].x), fmaxf(part[l].y, part[l + k].y)))
  if (l == 0) y[blockIdx.x] = part[0];
#else
  for (Index g = 0; g < words.n / 2; ++g) y[g] = {R(3e38f), R(-3e38f)};
  parts_of(p.n, words.n / 2, [&](Index g, Index first, Index end) {
    float low = x[first], high = low;
#pragma omp simd reduction(min : low) reduction(max : high)
    for (Index i = first; i < end; ++i) {
      low = x[i] < low ? x[i] : low;
      high = x[i] > high ? x[i] : high;
    }
    y[g] = {std::min(y[g].x, R(low)), std::max(y[g].y, R(high))};
  });
#endif
}
