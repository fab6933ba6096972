#include "twin.h"

struct Step {
  u32 n, span;
};
TWIN(fft_step, (Step p, const vec2<float>* __restrict x, vec2<R>* __restrict y)) {
  const Index half_of_n = p.n / 2;
#ifdef __CUDACC__
  EACH(i, half_of_n) {
    const u32 k = i % p.span;
    const float angle = -3.14159265f * k / p.span;
    const vec2<float> w = {cosf(angle), sinf(angle)};
#else
  // The factors once, and not for every element.
  std::vector<vec2<R>> factors(p.span);
  for (Index k = 0; k < p.span; ++k) {
    const R angle = R(-3.14159265) * R(k) / R(p.span);
    factors[k] = {cos(angle), sin(angle)};
  }
  EACH(i, half_of_n) {
    const Index k = i % p.span;
    const vec2<R> w = factors[k];
#endif
    const vec2<float> a = x[i], b = x[i + half_of_n];
    const R tx = w.x * b.x - w.y * b.y, ty = w.x * b.y + w.y * b.x;
    y[2 * i - k] = {a.x + tx, a.y + ty};
    y[2 * i - k + p.span] = {a.x - tx, a.y - ty};
  }
}

TWIN(walsh_groups, (const float* __restrict x, R* __restrict y, N p)) {
#ifdef __CUDACC__
  __shared__ float v[256];
  const u32 l = threadIdx.x, base = blockIdx.x * 256;
  v[l] = x[base + l];
  v[l + 128] = x[base + l + 128];
  for (u32 span = 1; span < 256; span *= 2) {
    __syncthreads();
    const u32 at = 2 * l - (l & (span - 1));
    const float a = v[at], b = v[at + span];
    v[at] = a + b;
    v[at + span] = a - b;
  }
  __syncthreads();
  y[base + l] = v[l];
  y[base + l + 128] = v[l + 128];
#else
#pragma omp parallel for
  for (Index base = 0; base < p.n; base += 256) {
    R v[256];
    for (Index i = 0; i < 256; ++i) v[i] = x[base + i];
    for (Index span = 1; span < 256; span *= 2) {
      for (Index first = 0; first < 256; first += 2 * span) {
        for (Index i = first; i < first + span; ++i) {
          const R a = v[i], b = v[i + span];
          v[i] = a + b;
          v[i + span] = a - b;
        }
      }
    }
    for (Index i = 0; i < 256; ++i) y[base + i] = v[i];
  }
#endif
}

TWIN(haar_step, (N p, const float* __restrict x, R* __restrict y)) {
  EACH(i, p.n) {
    const R a = x[2 * i], b = x[2 * i + 1];
    y[i] = (a + b) * R(0.70710678);
    y[p.n + i] = (a - b) * R(0.70710678);
  }
}

TWIN(dct_8, (N p, const float* __restrict x, R* __restrict y)) {
#ifdef __CUDACC__
  EACH(i, p.n) {
    float v[8];
    for (u32 j = 0; j < 8; ++j) v[j] = x[i * 8 + j];
    for (u32 k = 0; k < 8; ++k) {
      float s = 0;
      for (u32 j = 0; j < 8; ++j) s += v[j] * cosf(0.19634954f * ((2 * j + 1) * k));
      y[i * 8 + k] = s;
    }
  }
#else
  R factors[8][8];
  for (Index k = 0; k < 8; ++k) {
    for (Index j = 0; j < 8; ++j) factors[j][k] = cos(R(0.19634954) * R((2 * j + 1) * k));
  }
  EACH(i, p.n) {
    R s[8] = {};
    for (Index j = 0; j < 8; ++j) {
      for (Index k = 0; k < 8; ++k) s[k] += x[i * 8 + j] * factors[j][k];
    }
    for (Index k = 0; k < 8; ++k) y[i * 8 + k] = s[k];
  }
#endif
}
