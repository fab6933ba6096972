// How a kernel of the corpus is written in C++ and in CUDA C++.
//
//   TWIN(saxpy, (N p, const float* __restrict x, R* __restrict y)) {
//     EACH(i, p.n) y[i] = p.a * x[i] + y[i];
//   }
//
// The parameters are the kernel's bindings in their order: uniforms by value, buffers as
// pointers, and last, where it is needed, an N with the number of words of the last buffer.
// R is the type of what is computed and written: float, or double for the expected results, which
// are the same loops in double precision. EACH is a loop for OpenMP's threads in C++, and the
// invocation of a lane in CUDA. Where a programmer would write the two differently, a twin has two
// bodies, under `#ifdef __CUDACC__`.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

using u32 = std::uint32_t;
using i32 = std::int32_t;
using std::abs;
using std::cos;
using std::exp;
using std::floor;
using std::fmax;
using std::fmin;
using std::log;
using std::pow;
using std::sin;
using std::sqrt;
using std::tanh;

struct N {
  u32 n;
};
struct Grid {
  u32 width, height;
};
struct Volume {
  u32 width, height, depth;
};
struct Rows {
  u32 rows, width;
};

#ifdef __CUDACC__

#include <cuda_fp16.h>

using R = float;
using Index = u32;
using half = __half;
template <class>
using half_of = __half;
template <class>
using vec2 = float2;
template <class>
using vec4 = float4;

#define TWIN(name, parameters) extern "C" __global__ void name parameters
#define HOST_AND_DEVICE __device__
__device__ inline u32 lane_x() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ inline u32 lane_y() { return blockIdx.y * blockDim.y + threadIdx.y; }
__device__ inline u32 lane_z() { return blockIdx.z * blockDim.z + threadIdx.z; }
#define EACH(i, count) if (const u32 i = lane_x(); i < u32(count))
#define EACH_2D(i, j, width, height) EACH(i, width) if (const u32 j = lane_y(); j < u32(height))
#define EACH_3D(i, j, k, width, height, depth) \
  EACH_2D(i, j, width, height) if (const u32 k = lane_z(); k < u32(depth))
#define SIMD_SUM(s)

__device__ inline u32 add_atomically(u32* p, u32 v) { return atomicAdd(p, v); }
__device__ inline u32 population(u32 v) { return __popc(v); }
__device__ inline u32 high_product(u32 a, u32 b) { return __umulhi(a, b); }

// A tree over shared memory `part`, for lane `l` of 2 * HALF lanes.
#define TREE(HALF, ...)               \
  __syncthreads();                    \
  for (u32 k = HALF; k > 0; k /= 2) { \
    if (l < k) {                      \
      __VA_ARGS__;                    \
    }                                 \
    __syncthreads();                  \
  }

#else

#include <vector>

#include "registry.h"

using Index = std::int64_t;
using half = _Float16;
template <class R>
struct alignas(sizeof(R) == 4 ? 8 : sizeof(R)) vec2 {
  R x, y;
};
template <class R>
struct alignas(sizeof(R) == 4 ? 16 : sizeof(R)) vec4 {
  R x, y, z, w;
};
// What holds an R in half the bytes; of a double, which is expected, there is no half.
template <class R>
using half_of = std::conditional_t<std::is_same_v<R, double>, double, _Float16>;

#define TWIN(name, parameters)                                     \
  template <class R>                                               \
  static void name parameters;                                     \
  static const vyre::bench::Registered registered_##name(          \
      #name, vyre::bench::twin_of<&name<float>, &name<double>>()); \
  template <class R>                                               \
  static void name parameters
#define HOST_AND_DEVICE
#define EACH(i, count) \
  _Pragma("omp parallel for") for (Index i = 0; i < static_cast<Index>(count); ++i)
#define EACH_2D(i, j, width, height)                                            \
  _Pragma("omp parallel for") for (Index j = 0; j < static_cast<Index>(height); \
                                   ++j) for (Index i = 0; i < static_cast<Index>(width); ++i)
#define EACH_3D(i, j, k, width, height, depth)                                                    \
  _Pragma(                                                                                        \
      "omp parallel for collapse(2)") for (Index k = 0; k < static_cast<Index>(depth);            \
                                           ++k) for (Index j = 0; j < static_cast<Index>(height); \
                                                     ++j) for (Index i = 0;                       \
                                                               i < static_cast<Index>(width); ++i)
#define CORPUS_PRAGMA(text) _Pragma(#text)
#define SIMD_SUM(s) CORPUS_PRAGMA(omp simd reduction(+ : s))

static inline u32 add_atomically(u32* p, u32 v) {
  return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
}
static inline u32 population(u32 v) { return static_cast<u32>(__builtin_popcount(v)); }
static inline u32 high_product(u32 a, u32 b) {
  return static_cast<u32>(static_cast<std::uint64_t>(a) * b >> 32);
}

#endif
