#include "twin.h"

TWIN(row_sums, (Rows p, const float* __restrict x, R* __restrict y)) {
#ifdef __CUDACC__
  __shared__ float part[256];
  const u32 l = threadIdx.x;
  const float* row = x + blockIdx.x * p.width;
  float s = 0;
  for (u32 i = l; i < p.width; i += 256) s += row[i];
  part[l] = s;
  TREE(128, part[l] += part[l + k])
  if (l == 0) y[blockIdx.x] = part[0];
#else
#pragma omp parallel for
  for (Index r = 0; r < p.rows; ++r) {
    const float* __restrict row = x + r * p.width;
    R s = 0;
#pragma omp simd reduction(+ : s)
    for (Index i = 0; i < p.width; ++i) s += row[i];
    y[r] = s;
  }
#endif
}

TWIN(row_largest, (Rows p, const float* __restrict x, u32* __restrict y)) {
#ifdef __CUDACC__
  __shared__ float value[128];
  __shared__ u32 place[128];
  const u32 l = threadIdx.x;
  const float* row = x + blockIdx.x * p.width;
  float best = -3e38f;
  u32 at = 0;
  for (u32 i = l; i < p.width; i += 128) {
    const float v = row[i];
    if (v > best) best = v, at = i;
  }
  value[l] = best;
  place[l] = at;
  TREE(
      64, const float v = value[l + k];
      if (v > value[l] || (v == value[l] && place[l + k] < place[l])) {
        value[l] = v;
        place[l] = place[l + k];
      })
  if (l == 0) y[blockIdx.x] = place[0];
#else
#pragma omp parallel for
  for (Index r = 0; r < p.rows; ++r) {
    const float* __restrict row = x + r * p.width;
    // The largest by vectors, and then where it is.
    float best = row[0];
#pragma omp simd reduction(max : best)
    for (Index i = 0; i < p.width; ++i) best = row[i] > best ? row[i] : best;
    u32 at = 0;
    while (row[at] != best) ++at;
    y[r] = at;
  }
#endif
}

TWIN(row_distances,
     (Rows p, const float* __restrict x, const float* __restrict q, R* __restrict y)) {
  EACH(r, p.rows) {
    R s = 0;
    SIMD_SUM(s)
    for (Index i = 0; i < p.width; ++i) {
      const R d = R(x[r * p.width + i]) - q[i];
      s += d * d;
    }
    y[r] = sqrt(s);
  }
}
