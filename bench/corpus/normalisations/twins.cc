#include "twin.h"

#ifdef __CUDACC__
__device__ inline float total(float* part, u32 l, float v) {
  part[l] = v;
  TREE(128, part[l] += part[l + k])
  const float t = part[0];
  __syncthreads();
  return t;
}
#endif

TWIN(softmax, (Rows p, const float* __restrict x, R* __restrict y)) {
#ifdef __CUDACC__
  __shared__ float part[256];
  const u32 l = threadIdx.x, base = blockIdx.x * p.width;
  float m = -3e38f;
  for (u32 i = l; i < p.width; i += 256) m = fmaxf(m, x[base + i]);
  part[l] = m;
  TREE(128, part[l] = fmaxf(part[l], part[l + k]))
  m = part[0];
  __syncthreads();
  float s = 0;
  for (u32 i = l; i < p.width; i += 256) s += expf(x[base + i] - m);
  const float r = 1 / total(part, l, s);
  for (u32 i = l; i < p.width; i += 256) y[base + i] = expf(x[base + i] - m) * r;
#else
#pragma omp parallel for
  for (Index r = 0; r < p.rows; ++r) {
    const float* __restrict in = x + r * p.width;
    R* __restrict out = y + r * p.width;
    float m = in[0];
#pragma omp simd reduction(max : m)
    for (Index i = 0; i < p.width; ++i) m = in[i] > m ? in[i] : m;
    R s = 0;
    for (Index i = 0; i < p.width; ++i) s += out[i] = exp(R(in[i]) - m);
    const R inverse = 1 / s;
    for (Index i = 0; i < p.width; ++i) out[i] *= inverse;
  }
#endif
}

TWIN(layer_norm, (Rows p, const float* __restrict x, const float* __restrict gamma,
                  const float* __restrict beta, R* __restrict y)) {
#ifdef __CUDACC__
  __shared__ float part[256];
  const u32 l = threadIdx.x, base = blockIdx.x * p.width;
  float s = 0;
  for (u32 i = l; i < p.width; i += 256) s += x[base + i];
  const float mean = total(part, l, s) / p.width;
  float q = 0;
  for (u32 i = l; i < p.width; i += 256) q += (x[base + i] - mean) * (x[base + i] - mean);
  const float r = rsqrtf(total(part, l, q) / p.width + 1e-5f);
  for (u32 i = l; i < p.width; i += 256) {
    y[base + i] = (x[base + i] - mean) * r * gamma[i] + beta[i];
  }
#else
#pragma omp parallel for
  for (Index r = 0; r < p.rows; ++r) {
    const float* __restrict in = x + r * p.width;
    R* __restrict out = y + r * p.width;
    R s = 0;
#pragma omp simd reduction(+ : s)
    for (Index i = 0; i < p.width; ++i) s += in[i];
    const R mean = s / p.width;
    R q = 0;
#pragma omp simd reduction(+ : q)
    for (Index i = 0; i < p.width; ++i) q += (in[i] - mean) * (in[i] - mean);
    const R scale = 1 / sqrt(q / p.width + R(1e-5));
    for (Index i = 0; i < p.width; ++i) out[i] = (in[i] - mean) * scale * gamma[i] + beta[i];
  }
#endif
}

TWIN(rms_norm, (Rows p, const float* __restrict x, R* __restrict y)) {
#ifdef __CUDACC__
  __shared__ float part[256];
  const u32 l = threadIdx.x, base = blockIdx.x * p.width;
  float s = 0;
  for (u32 i = l; i < p.width; i += 256) s += x[base + i] * x[base + i];
  const float r = rsqrtf(total(part, l, s) / p.width + 1e-5f);
  for (u32 i = l; i < p.width; i += 256) y[base + i] = x[base + i] * r;
#else
#pragma omp parallel for
  for (Index r = 0; r < p.rows; ++r) {
    const float* __restrict in = x + r * p.width;
    R* __restrict out = y + r * p.width;
    R s = 0;
#pragma omp simd reduction(+ : s)
    for (Index i = 0; i < p.width; ++i) s += R(in[i]) * in[i];
    const R scale = 1 / sqrt(s / p.width + R(1e-5));
    for (Index i = 0; i < p.width; ++i) out[i] = in[i] * scale;
  }
#endif
}

struct Channels {
  u32 n, channels;
};
TWIN(batch_norm, (Channels p, const float* __restrict x, const float* __restrict mean,
                  const float* __restrict scale, R* __restrict y)) {
#ifdef __CUDACC__
  EACH(i, p.n) {
    const u32 c = i % p.channels;
    const float v = (x[i] - mean[c]) * scale[c];
    y[i] = fmaxf(v, 0.01f * v);
  }
#else
#pragma omp parallel for
  for (Index i = 0; i < p.n; i += p.channels) {
    for (Index c = 0; c < p.channels; ++c) {
      const R v = (R(x[i + c]) - mean[c]) * scale[c], small = R(0.01) * v;
      y[i + c] = v > small ? v : small;
    }
  }
#endif
}

TWIN(softmax_rows, (Rows p, const float* __restrict x, R* __restrict y)) {
  EACH(r, p.rows) {
    const Index base = r * p.width;
    float m = x[base];
    for (Index i = 1; i < p.width; ++i) m = x[base + i] > m ? x[base + i] : m;
    R s = 0;
    for (Index i = 0; i < p.width; ++i) s += exp(R(x[base + i]) - m);
    for (Index i = 0; i < p.width; ++i) y[base + i] = exp(R(x[base + i]) - m) / s;
  }
}
