#include "twin.h"

#ifndef __CUDACC__
// Blocks of columns, whose results stay in registers or the first cache while the rows pass.
template <class Block>
static void blocks_of(Index width, Block block) {
  constexpr Index kBlock = 64;
#pragma omp parallel for
  for (Index first = 0; first < width; first += kBlock) {
    block(first, std::min(kBlock, width - first));
  }
}
#endif

TWIN(column_sums, (Rows p, const float* __restrict x, R* __restrict y)) {
#ifdef __CUDACC__
  EACH(c, p.width) {
    float s = 0;
    for (u32 r = 0; r < p.rows; ++r) s += x[r * p.width + c];
    y[c] = s;
  }
#else
  blocks_of(p.width, [&](Index first, Index count) {
    R s[64] = {};
    for (Index r = 0; r < p.rows; ++r) {
      for (Index c = 0; c < count; ++c) s[c] += x[r * p.width + first + c];
    }
    for (Index c = 0; c < count; ++c) y[first + c] = s[c];
  });
#endif
}

struct Parts {
  u32 rows, width, parts;
};
TWIN(column_sums_parts, (Parts p, const float* __restrict x, R* __restrict y)) {
#ifdef __CUDACC__
  EACH_2D(c, part, p.width, p.parts) {
    float s = 0;
    for (u32 r = part; r < p.rows; r += p.parts) s += x[r * p.width + c];
    y[part * p.width + c] = s;
  }
#else
#pragma omp parallel for
  for (Index part = 0; part < p.parts; ++part) {
    R* __restrict sums = y + part * p.width;
    for (Index c = 0; c < p.width; ++c) sums[c] = 0;
    for (Index r = part; r < p.rows; r += p.parts) {
      for (Index c = 0; c < p.width; ++c) sums[c] += x[r * p.width + c];
    }
  }
#endif
}

TWIN(column_variance, (Rows p, const float* __restrict x, R* __restrict y)) {
#ifdef __CUDACC__
  EACH(c, p.width) {
    float mean = 0, m2 = 0;
    for (u32 r = 0; r < p.rows; ++r) {
      const float v = x[r * p.width + c];
      mean += v;
      m2 += v * v;
    }
    mean /= p.rows;
    y[c] = m2 / p.rows - mean * mean;
  }
#else
  blocks_of(p.width, [&](Index first, Index count) {
    R mean[64] = {}, m2[64] = {};
    for (Index r = 0; r < p.rows; ++r) {
      for (Index c = 0; c < count; ++c) {
        const R v = x[r * p.width + first + c];
        mean[c] += v;
        m2[c] += v * v;
      }
    }
    for (Index c = 0; c < count; ++c) {
      mean[c] /= p.rows;
      y[first + c] = m2[c] / p.rows - mean[c] * mean[c];
    }
  });
#endif
}
