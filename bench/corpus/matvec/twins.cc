#include "twin.h"

TWIN(matvec_lane, (Rows p, const float* __restrict a, const float* __restrict v, R* __restrict y)) {
  EACH(r, p.rows) {
    R s = 0;
    SIMD_SUM(s)
    for (Index i = 0; i < p.width; ++i) s += R(a[r * p.width + i]) * v[i];
    y[r] = s;
  }
}

TWIN(matvec_group,
     (Rows p, const float* __restrict a, const float* __restrict v, R* __restrict y)) {
#ifdef __CUDACC__
  __shared__ float part[128];
  const u32 l = threadIdx.x, base = blockIdx.x * p.width;
  float s = 0;
  for (u32 i = l; i < p.width; i += 128) s += a[base + i] * v[i];
  part[l] = s;
  TREE(64, part[l] += part[l + k])
  if (l == 0) y[blockIdx.x] = part[0];
#else
  matvec_lane(p, a, v, y);
#endif
}

TWIN(matvec_columns,
     (Rows p, const float* __restrict a, const float* __restrict v, R* __restrict y)) {
#ifdef __CUDACC__
  EACH(c, p.width) {
    float s = 0;
    for (u32 r = 0; r < p.rows; ++r) s += a[r * p.width + c] * v[r];
    y[c] = s;
  }
#else
  constexpr Index kBlock = 64;  // columns whose sums stay in registers or the first cache
#pragma omp parallel for
  for (Index first = 0; first < p.width; first += kBlock) {
    const Index count = std::min<Index>(kBlock, p.width - first);
    R s[kBlock] = {};
    for (Index r = 0; r < p.rows; ++r) {
      for (Index c = 0; c < count; ++c) s[c] += R(a[r * p.width + first + c]) * v[r];
    }
    for (Index c = 0; c < count; ++c) y[first + c] = s[c];
  }
#endif
}

TWIN(matvec_vec4,
     (Rows p, const vec4<float>* __restrict a, const vec4<float>* __restrict v, R* __restrict y)) {
#ifdef __CUDACC__
  EACH(r, p.rows) {
    const u32 quads = p.width / 4;
    float4 s = {};
    for (u32 i = 0; i < quads; ++i) {
      const float4 m = a[r * quads + i], w = v[i];
      s.x += m.x * w.x;
      s.y += m.y * w.y;
      s.z += m.z * w.z;
      s.w += m.w * w.w;
    }
    y[r] = s.x + s.y + s.z + s.w;
  }
#else
  matvec_lane(p, reinterpret_cast<const float*>(a), reinterpret_cast<const float*>(v), y);
#endif
}
