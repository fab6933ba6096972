#include "twin.h"

#ifndef __CUDACC__
// By blocks that fit the first cache, as one transposes in C++.
template <class T, class U, class To>
static void in_blocks(Grid p, const T* __restrict x, U* __restrict y, To to) {
  constexpr Index kBlock = 32;
#pragma omp parallel for collapse(2)
  for (Index top = 0; top < p.height; top += kBlock) {
    for (Index left = 0; left < p.width; left += kBlock) {
      const Index bottom = std::min<Index>(top + kBlock, p.height);
      const Index right = std::min<Index>(left + kBlock, p.width);
      for (Index c = left; c < right; ++c) {
        for (Index r = top; r < bottom; ++r) y[to(r, c)] = x[r * p.width + c];
      }
    }
  }
}
#endif

TWIN(transpose_naive, (Grid p, const float* __restrict x, R* __restrict y)) {
#ifdef __CUDACC__
  EACH_2D(c, r, p.width, p.height) y[c * p.height + r] = x[r * p.width + c];
#else
  in_blocks(p, x, y, [&](Index r, Index c) { return c * p.height + r; });
#endif
}

TWIN(transpose_tiled, (Grid p, const float* __restrict x, R* __restrict y)) {
#ifdef __CUDACC__
  __shared__ float tile[16][17];
  const u32 lx = threadIdx.x, ly = threadIdx.y, top = blockIdx.y * 16, left = blockIdx.x * 16;
  tile[ly][lx] = x[(top + ly) * p.width + left + lx];
  __syncthreads();
  y[(left + ly) * p.height + top + lx] = tile[lx][ly];
#else
  in_blocks(p, x, y, [&](Index r, Index c) { return c * p.height + r; });
#endif
}

TWIN(rotate_image, (Grid p, const u32* __restrict x, u32* __restrict y)) {
#ifdef __CUDACC__
  EACH_2D(c, r, p.height, p.width) y[r * p.height + c] = x[(p.height - 1 - c) * p.width + r];
#else
  in_blocks(p, x, y, [&](Index r, Index c) { return c * p.height + p.height - 1 - r; });
#endif
}
