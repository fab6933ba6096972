#include "twin.h"

struct Filter {
  u32 n, taps;
};
TWIN(filter_1d, (Filter p, const float* __restrict x, const float* __restrict h, R* __restrict y)) {
#ifdef __CUDACC__
  EACH(i, p.n) {
    float s = 0;
    for (u32 t = 0; t < p.taps; ++t) s += x[i + t] * h[t];
    y[i] = s;
  }
#else
  constexpr Index kBlock = 64;
#pragma omp parallel for
  for (Index first = 0; first < p.n; first += kBlock) {
    const Index count = std::min<Index>(kBlock, p.n - first);
    R s[kBlock] = {};
    for (Index t = 0; t < p.taps; ++t) {
      for (Index i = 0; i < count; ++i) s[i] += R(x[first + i + t]) * h[t];
    }
    for (Index i = 0; i < count; ++i) y[first + i] = s[i];
  }
#endif
}

TWIN(window_5x5, (Grid p, const float* __restrict x, R* __restrict y)) {
  const i32 width = i32(p.width), height = i32(p.height);
#ifdef __CUDACC__
  EACH_2D(gx, gy, p.width, p.height) {
    float s = 0;
    for (i32 dy = -2; dy <= 2; ++dy) {
      for (i32 dx = -2; dx <= 2; ++dx) {
        const i32 cx = min(max(i32(gx) + dx, 0), width - 1);
        const i32 cy = min(max(i32(gy) + dy, 0), height - 1);
        s += x[cy * width + cx];
      }
    }
    y[gy * p.width + gx] = s / 25.0f;
  }
#else
  const auto at_edge = [&](Index gx, Index gy) {
    R s = 0;
    for (Index dy = -2; dy <= 2; ++dy) {
      for (Index dx = -2; dx <= 2; ++dx) {
        const Index cx = std::clamp<Index>(gx + dx, 0, width - 1);
        s += x[std::clamp<Index>(gy + dy, 0, height - 1) * width + cx];
      }
    }
    y[gy * width + gx] = s / 25;
  };
#pragma omp parallel for
  for (Index gy = 0; gy < height; ++gy) {
    const float* row[5];
    for (Index dy = -2; dy <= 2; ++dy) {
      row[dy + 2] = x + std::clamp<Index>(gy + dy, 0, height - 1) * width;
    }
    for (Index gx = 0; gx < std::min(2, width); ++gx) at_edge(gx, gy);
    for (Index gx = 2; gx < width - 2; ++gx) {
      R s = 0;
      for (Index dy = 0; dy < 5; ++dy) {
        for (Index dx = -2; dx <= 2; ++dx) s += row[dy][gx + dx];
      }
      y[gy * width + gx] = s / 25;
    }
    for (Index gx = std::max(2, width - 2); gx < width; ++gx) at_edge(gx, gy);
  }
#endif
}

TWIN(convolve_3x3,
     (Grid p, const float* __restrict x, const float* __restrict h, R* __restrict y)) {
  const Index width = p.width, height = p.height;
#ifdef __CUDACC__
  EACH_2D(gx, gy, p.width, p.height) {
    float s = 0;
    for (u32 j = 0; j < 3; ++j) {
      for (u32 i = 0; i < 3; ++i) {
        const u32 cx = gx + i, cy = gy + j;
        if (cx > 0 && cx <= width && cy > 0 && cy <= height) {
          s += x[(cy - 1) * width + cx - 1] * h[j * 3 + i];
        }
      }
    }
    y[gy * width + gx] = s;
  }
#else
#pragma omp parallel for
  for (Index gy = 0; gy < height; ++gy) {
    R* __restrict out = y + gy * width;
    for (Index gx = 0; gx < width; ++gx) out[gx] = 0;
    for (Index j = std::max<Index>(gy - 1, 0); j <= std::min(gy + 1, height - 1); ++j) {
      const float* __restrict row = x + j * width;
      const float* __restrict tap = h + (j - gy + 1) * 3;
      const R left = tap[0], middle = tap[1], right = tap[2];
      out[0] += middle * row[0] + right * row[1];
      for (Index gx = 1; gx < width - 1; ++gx) {
        out[gx] += left * row[gx - 1] + middle * row[gx] + right * row[gx + 1];
      }
      out[width - 1] += left * row[width - 2] + middle * row[width - 1];
    }
  }
#endif
}

TWIN(convolve_3d,
     (Volume p, const float* __restrict x, const float* __restrict h, R* __restrict y)) {
  const Index width = p.width, height = p.height, depth = p.depth;
#ifdef __CUDACC__
  EACH_3D(gx, gy, gz, width, height, depth) {
    if (gx == 0 || gy == 0 || gz == 0 || gx + 1 == width || gy + 1 == height || gz + 1 == depth) {
      return;
    }
#else
#pragma omp parallel for collapse(2)
  for (Index gz = 1; gz < depth - 1; ++gz)
    for (Index gy = 1; gy < height - 1; ++gy)
      for (Index gx = 1; gx < width - 1; ++gx) {
#endif
    R s = 0;
    for (Index k = 0; k < 3; ++k) {
      for (Index j = 0; j < 3; ++j) {
        for (Index i = 0; i < 3; ++i) {
          s += R(x[((gz + k - 1) * height + gy + j - 1) * width + gx + i - 1]) *
               h[(k * 3 + j) * 3 + i];
        }
      }
    }
    y[(gz * height + gy) * width + gx] = s;
  }
}
