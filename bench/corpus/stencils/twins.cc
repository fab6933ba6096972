#include "twin.h"

TWIN(heat_3d, (Volume p, const float* __restrict x, R* __restrict y)) {
  const Index width = p.width, height = p.height, depth = p.depth, plane = width * height;
#ifdef __CUDACC__
  EACH_3D(gx, gy, gz, width, height, depth) {
    const u32 i = gz * plane + gy * width + gx;
    const float c = x[i];
    if (gx == 0 || gy == 0 || gz == 0 || gx == width - 1 || gy == height - 1 || gz == depth - 1) {
      y[i] = c;
      return;
    }
    const float around =
        x[i - 1] + x[i + 1] + x[i - width] + x[i + width] + x[i - plane] + x[i + plane];
    y[i] = c + 0.1f * (around - 6 * c);
  }
#else
#pragma omp parallel for collapse(2)
  for (Index gz = 0; gz < depth; ++gz) {
    for (Index gy = 0; gy < height; ++gy) {
      const Index base = gz * plane + gy * width;
      const float* __restrict row = x + base;
      R* __restrict out = y + base;
      if (gz == 0 || gy == 0 || gz == depth - 1 || gy == height - 1) {
        for (Index i = 0; i < width; ++i) out[i] = row[i];
        continue;
      }
      out[0] = row[0];
      for (Index i = 1; i < width - 1; ++i) {
        const R around = R(row[i - 1]) + row[i + 1] + row[i - width] + row[i + width] +
                         row[i - plane] + row[i + plane];
        out[i] = row[i] + R(0.1) * (around - 6 * R(row[i]));
      }
      out[width - 1] = row[width - 1];
    }
  }
#endif
}

TWIN(wave_2d, (Grid p, const float* __restrict now, R* __restrict before)) {
  const Index width = p.width, height = p.height;
#ifdef __CUDACC__
  EACH_2D(gx, gy, width, height) {
    const u32 left = gx == 0 ? width - 1 : gx - 1, right = gx + 1 == width ? 0 : gx + 1;
    const u32 above = gy == 0 ? height - 1 : gy - 1, below = gy + 1 == height ? 0 : gy + 1;
    const u32 row = gy * width;
    const float c = now[row + gx];
    const float around =
        now[row + left] + now[row + right] + now[above * width + gx] + now[below * width + gx];
    before[row + gx] = 2 * c - before[row + gx] + 0.2f * (around - 4 * c);
  }
#else
#pragma omp parallel for
  for (Index gy = 0; gy < height; ++gy) {
    const float* __restrict row = now + gy * width;
    const float* __restrict above = now + (gy == 0 ? height - 1 : gy - 1) * width;
    const float* __restrict below = now + (gy + 1 == height ? 0 : gy + 1) * width;
    R* __restrict out = before + gy * width;
    const auto step = [&](Index i, Index left, Index right) {
      const R c = row[i], around = R(row[left]) + row[right] + above[i] + below[i];
      out[i] = 2 * c - out[i] + R(0.2) * (around - 4 * c);
    };
    step(0, width - 1, 1);
    for (Index i = 1; i < width - 1; ++i) step(i, i - 1, i + 1);
    step(width - 1, width - 2, 0);
  }
#endif
}

TWIN(life, (Grid p, const u32* __restrict x, u32* __restrict y)) {
  const Index width = p.width, height = p.height;
#ifdef __CUDACC__
  EACH_2D(gx, gy, width, height) {
    u32 count = 0;
    for (u32 dy = 0; dy < 3; ++dy) {
      for (u32 dx = 0; dx < 3; ++dx) {
        count += x[(gy + height + dy - 1) % height * width + (gx + width + dx - 1) % width];
      }
    }
    y[gy * width + gx] = count == 3 || (count == 4 && x[gy * width + gx] == 1);
  }
#else
#pragma omp parallel for
  for (Index gy = 0; gy < height; ++gy) {
    const u32* __restrict row = x + gy * width;
    const u32* __restrict above = x + (gy == 0 ? height - 1 : gy - 1) * width;
    const u32* __restrict below = x + (gy + 1 == height ? 0 : gy + 1) * width;
    u32* __restrict out = y + gy * width;
    const auto step = [&](Index i, Index l, Index r) {
      const u32 count = row[l] + row[i] + row[r] + above[l] + above[i] + above[r] + below[l] +
                        below[i] + below[r];
      out[i] = (count == 3) | ((count == 4) & (row[i] == 1));
    };
    step(0, width - 1, 1);
    for (Index i = 1; i < width - 1; ++i) step(i, i - 1, i + 1);
    step(width - 1, width - 2, 0);
  }
#endif
}

TWIN(shallow_water,
     (Grid p, const float* __restrict h, const float* __restrict u, const float* __restrict v,
      R* __restrict h2, R* __restrict u2, R* __restrict v2)) {
  const Index width = p.width, height = p.height;
#ifdef __CUDACC__
  EACH_2D(gx, gy, width - 1, height - 1) {
    if (gx == 0 || gy == 0) return;
#else
#pragma omp parallel for
  for (Index gy = 1; gy < height - 1; ++gy)
    for (Index gx = 1; gx < width - 1; ++gx) {
#endif
    const Index i = gy * width + gx, e = i + 1, w = i - 1, n = i - width, s = i + width;
    h2[i] = h[i] - R(0.05) * (R(h[e]) * u[e] - R(h[w]) * u[w] + R(h[s]) * v[s] - R(h[n]) * v[n]);
    u2[i] = u[i] - R(0.05) * (u[i] * (R(u[e]) - u[w]) + v[i] * (R(u[s]) - u[n]) +
                              R(9.81) * (R(h[e]) - h[w]));
    v2[i] = v[i] - R(0.05) * (u[i] * (R(v[e]) - v[w]) + v[i] * (R(v[s]) - v[n]) +
                              R(9.81) * (R(h[s]) - h[n]));
  }
}
