#include "twin.h"

struct Bodies {
  u32 n;
  float soft;
};
#ifndef __CUDACC__
template <class R>
static void pull_all(Bodies p, const vec4<float>* __restrict bodies, vec4<R>* __restrict y) {
#pragma omp parallel for
  for (Index i = 0; i < p.n; ++i) {
    const vec4<float> here = bodies[i];
    R px = 0, py = 0, pz = 0;
#pragma omp simd reduction(+ : px, py, pz)
    for (Index j = 0; j < p.n; ++j) {
      const R dx = R(bodies[j].x) - here.x, dy = R(bodies[j].y) - here.y;
      const R dz = R(bodies[j].z) - here.z;
      const R r = 1 / sqrt(dx * dx + dy * dy + dz * dz + p.soft), pull = bodies[j].w * r * r * r;
      px += dx * pull;
      py += dy * pull;
      pz += dz * pull;
    }
    y[i] = {px, py, pz, 0};
  }
}
#else
__device__ inline void pull_one(float4& pull, float4 here, float4 other, float soft) {
  const float dx = other.x - here.x, dy = other.y - here.y, dz = other.z - here.z;
  const float r = rsqrtf(dx * dx + dy * dy + dz * dz + soft), f = other.w * r * r * r;
  pull.x += dx * f;
  pull.y += dy * f;
  pull.z += dz * f;
}
#endif

TWIN(all_pairs, (Bodies p, const vec4<float>* __restrict bodies, vec4<R>* __restrict y)) {
#ifdef __CUDACC__
  EACH(i, p.n) {
    const float4 here = bodies[i];
    float4 pull = {};
    for (u32 j = 0; j < p.n; ++j) pull_one(pull, here, bodies[j], p.soft);
    y[i] = pull;
  }
#else
  pull_all(p, bodies, y);
#endif
}

TWIN(all_pairs_tiled, (Bodies p, const vec4<float>* __restrict bodies, vec4<R>* __restrict y)) {
#ifdef __CUDACC__
  __shared__ float4 tile[128];
  const u32 l = threadIdx.x, i = lane_x();
  const float4 here = bodies[i];
  float4 pull = {};
  for (u32 first = 0; first < p.n; first += 128) {
    tile[l] = bodies[first + l];
    __syncthreads();
    for (u32 j = 0; j < 128; ++j) pull_one(pull, here, tile[j], p.soft);
    __syncthreads();
  }
  y[i] = pull;
#else
  pull_all(p, bodies, y);
#endif
}

struct Cells {
  u32 n, side;
};
TWIN(particles_to_cells,
     (Cells p, const float* __restrict x, const float* __restrict y, u32* __restrict cells)) {
  EACH(i, p.n) {
    const u32 cx = u32(x[i] * p.side), cy = u32(y[i] * p.side);
    add_atomically(
        &cells[(cy < p.side ? cy : p.side - 1) * p.side + (cx < p.side ? cx : p.side - 1)], 1);
  }
}

TWIN(cells_to_particles, (Cells p, const float* __restrict x, const float* __restrict y,
                          const float* __restrict field, R* __restrict v)) {
  EACH(i, p.n) {
    const R sx = R(x[i]) * (p.side - 2), sy = R(y[i]) * (p.side - 2);
    const i32 cx = i32(sx), cy = i32(sy);
    const R fx = sx - R(cx), fy = sy - R(cy);
    const float* above = field + cy * p.side + cx;
    const float* below = above + p.side;
    const R top = above[0] * (1 - fx) + above[1] * fx, bottom = below[0] * (1 - fx) + below[1] * fx;
    v[i] = top * (1 - fy) + bottom * fy;
  }
}
