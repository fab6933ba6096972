#include "twin.h"

#ifndef __CUDACC__
// A tile of sums at a time, which stays in registers.
template <class R>
static void multiply(Index n, const float* __restrict a, const float* __restrict b,
                     R* __restrict c) {
  constexpr Index kTile = 16;
#pragma omp parallel for collapse(2)
  for (Index row = 0; row < n; row += kTile) {
    for (Index column = 0; column < n; column += kTile) {
      R s[kTile][kTile] = {};
      for (Index k = 0; k < n; ++k) {
        for (Index i = 0; i < kTile; ++i) {
          for (Index j = 0; j < kTile; ++j) {
            s[i][j] += R(a[(row + i) * n + k]) * b[k * n + column + j];
          }
        }
      }
      for (Index i = 0; i < kTile; ++i) {
        for (Index j = 0; j < kTile; ++j) c[(row + i) * n + column + j] = s[i][j];
      }
    }
  }
}
#endif

TWIN(matmul_naive, (N p, const float* __restrict a, const float* __restrict b, R* __restrict c)) {
#ifdef __CUDACC__
  EACH_2D(x, y, p.n, p.n) {
    float s = 0;
    for (u32 k = 0; k < p.n; ++k) s += a[y * p.n + k] * b[k * p.n + x];
    c[y * p.n + x] = s;
  }
#else
  multiply(p.n, a, b, c);
#endif
}

TWIN(matmul_tiled, (N p, const float* __restrict a, const float* __restrict b, R* __restrict c)) {
#ifdef __CUDACC__
  __shared__ float ta[16][16], tb[16][16];
  const u32 lx = threadIdx.x, ly = threadIdx.y, x = lane_x(), y = lane_y();
  float s = 0;
  for (u32 first = 0; first < p.n; first += 16) {
    ta[ly][lx] = a[y * p.n + first + lx];
    tb[ly][lx] = b[(first + ly) * p.n + x];
    __syncthreads();
    for (u32 k = 0; k < 16; ++k) s += ta[ly][k] * tb[k][lx];
    __syncthreads();
  }
  c[y * p.n + x] = s;
#else
  multiply(p.n, a, b, c);
#endif
}

TWIN(matmul_blocked, (N p, const float* __restrict a, const float* __restrict b, R* __restrict c)) {
#ifdef __CUDACC__
  __shared__ float ta[16][33], tb[16][32];
  const u32 lx = threadIdx.x, ly = threadIdx.y, lane = ly * 8 + lx;
  float s[4][4] = {};
  for (u32 first = 0; first < p.n; first += 16) {
    for (u32 i = lane; i < 512; i += 64) {
      ta[i % 16][i / 16] = a[(blockIdx.y * 32 + i / 16) * p.n + first + i % 16];
      tb[i / 32][i % 32] = b[(first + i / 32) * p.n + blockIdx.x * 32 + i % 32];
    }
    __syncthreads();
    for (u32 k = 0; k < 16; ++k) {
      for (u32 i = 0; i < 4; ++i) {
        for (u32 j = 0; j < 4; ++j) s[i][j] += ta[k][ly * 4 + i] * tb[k][lx * 4 + j];
      }
    }
    __syncthreads();
  }
  for (u32 i = 0; i < 4; ++i) {
    for (u32 j = 0; j < 4; ++j) {
      c[(blockIdx.y * 32 + ly * 4 + i) * p.n + blockIdx.x * 32 + lx * 4 + j] = s[i][j];
    }
  }
#else
  multiply(p.n, a, b, c);
#endif
}

TWIN(matmul_small, (N p, const float* __restrict a, const float* __restrict b, R* __restrict c)) {
  EACH(i, p.n) {
    for (Index column = 0; column < 4; ++column) {
      for (Index row = 0; row < 4; ++row) {
        R s = 0;
        for (Index k = 0; k < 4; ++k) s += R(a[i * 16 + k * 4 + row]) * b[i * 16 + column * 4 + k];
        c[i * 16 + column * 4 + row] = s;
      }
    }
  }
}
