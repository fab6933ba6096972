// The kernels beside this file in CUDA C++, with the same workgroup and the same sizes.
//
//   twins KERNEL    prints the median time of 50 launches in microseconds
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#define TREE(N, OP)                     \
  for (unsigned k = N; k > 0; k /= 2) { \
    if (l < k) {                        \
      OP;                               \
    }                                   \
    __syncthreads();                    \
  }
__global__ __launch_bounds__(256) void norm(const float* __restrict__ x, float* __restrict__ y,
                                            unsigned width) {
  __shared__ float part[256];
  unsigned base = blockIdx.x * width, l = threadIdx.x;
  float s = 0;
  for (unsigned i = l; i < width; i += 256) {
    float v = x[base + i];
    s = s + v * v;
  }
  part[l] = s;
  __syncthreads();
  TREE(128, part[l] += part[l + k])
  float r = rsqrtf(part[0] / width + 1e-5f);
  for (unsigned i = l; i < width; i += 256) y[base + i] = x[base + i] * r;
}
__global__ __launch_bounds__(256) void softmax(const float* __restrict__ x, float* __restrict__ y,
                                               unsigned width) {
  __shared__ float part[256];
  unsigned base = blockIdx.x * width, l = threadIdx.x;
  float m = -3.0e38f;
  for (unsigned i = l; i < width; i += 256) m = fmaxf(m, x[base + i]);
  part[l] = m;
  __syncthreads();
  TREE(128, part[l] = fmaxf(part[l], part[l + k]))
  m = part[0];
  __syncthreads();
  float s = 0;
  for (unsigned i = l; i < width; i += 256) s += __expf(x[base + i] - m);
  part[l] = s;
  __syncthreads();
  TREE(128, part[l] += part[l + k])
  float r = 1.0f / part[0];
  for (unsigned i = l; i < width; i += 256) y[base + i] = __expf(x[base + i] - m) * r;
}
__global__ __launch_bounds__(128) void window(const float* __restrict__ x, float* __restrict__ y,
                                              unsigned width, unsigned height) {
  unsigned gx = blockIdx.x * 32 + threadIdx.x, gy = blockIdx.y * 4 + threadIdx.y;
  if (gx >= width || gy >= height) return;
  float s = 0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) {
      unsigned cx = min(max(int(gx) + dx, 0), int(width) - 1),
               cy = min(max(int(gy) + dy, 0), int(height) - 1);
      s += x[cy * width + cx];
    }
  y[gy * width + gx] = s / 25.0f;
}
__global__ __launch_bounds__(256) void matvec(const float* __restrict__ a,
                                              const float* __restrict__ v, float* __restrict__ y,
                                              unsigned width) {
  __shared__ float part[256];
  unsigned base = blockIdx.x * width, l = threadIdx.x;
  float s = 0;
  for (unsigned i = l; i < width; i += 256) s = s + a[base + i] * v[i];
  part[l] = s;
  __syncthreads();
  TREE(128, part[l] += part[l + k])
  if (l == 0) y[blockIdx.x] = part[0];
}
__device__ float total(float* part, unsigned l, float s) {
  part[l] = s;
  __syncthreads();
  TREE(64, part[l] += part[l + k])
  float t = part[0];
  __syncthreads();
  return t;
}
__global__ __launch_bounds__(128) void layer_norm(const float* __restrict__ x,
                                                  const float* __restrict__ gamma,
                                                  const float* __restrict__ beta,
                                                  float* __restrict__ y, unsigned width) {
  __shared__ float part[128];
  unsigned base = blockIdx.x * width, l = threadIdx.x;
  float s = 0;
  for (int i = int(l); i < int(width); i += 128) s = s + x[base + unsigned(i)];
  float mean = total(part, l, s) / float(width);
  float q = 0;
  for (unsigned i = l; i < width; i += 128) {
    float d = x[base + i] - mean;
    q = q + d * d;
  }
  float r = rsqrtf(total(part, l, q) / float(width) + 1e-5f);
  for (unsigned i = l; i < width; i += 128)
    y[base + i] = (x[base + i] - mean) * r * gamma[i] + beta[i];
}
__global__ __launch_bounds__(256) void column_sums(const float* __restrict__ x,
                                                   float* __restrict__ y, unsigned width,
                                                   unsigned rows, unsigned part) {
  unsigned gx = blockIdx.x * 256 + threadIdx.x, gy = blockIdx.y;
  if (gx >= width) return;
  float s = 0;
  for (unsigned r = gy; r < rows; r += part) s = s + x[r * width + gx];
  y[gy * width + gx] = s;
}
__global__ __launch_bounds__(256) void grid_stride(const float* __restrict__ x,
                                                   const float* __restrict__ z,
                                                   float* __restrict__ y, unsigned n) {
  __shared__ float part[256];
  unsigned l = threadIdx.x, step = gridDim.x * 256;
  float s = 0;
  for (unsigned i = blockIdx.x * 256 + l; i < n; i += step) {
    float d = x[i] - z[i];
    s = s + d * d;
  }
  part[l] = s;
  __syncthreads();
  TREE(128, part[l] += part[l + k])
  if (l == 0) y[blockIdx.x] = part[0];
}
__global__ __launch_bounds__(128) void first_above(const float* __restrict__ x,
                                                   unsigned* __restrict__ y, unsigned width,
                                                   float limit) {
  __shared__ unsigned part[128];
  unsigned base = blockIdx.x * width, l = threadIdx.x, at = width;
  for (unsigned i = l; i < width; i += 128)
    if (x[base + i] > limit) {
      at = i;
      break;
    }
  part[l] = at;
  __syncthreads();
  TREE(64, part[l] = min(part[l], part[l + k]))
  if (l == 0) y[blockIdx.x] = part[0];
}
__global__ __launch_bounds__(256) void fir(const float* __restrict__ x, const float* __restrict__ h,
                                           float* __restrict__ y, unsigned n, unsigned taps) {
  unsigned g = blockIdx.x * 256 + threadIdx.x;
  if (g >= n) return;
  float s = 0;
  for (unsigned t = 0; t < taps; t += 2) s = s + x[g + t] * h[t] + x[g + t + 1] * h[t + 1];
  y[g] = s;
}

__global__ void fill(float* out, size_t count) {
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count;
       i += size_t{gridDim.x} * blockDim.x) {
    out[i] = float(unsigned(i) * 2654435761u >> 8) / 16777216.0f;
  }
}

// Sixteen sums over the warp, each of which needs the one before.
__global__ __launch_bounds__(256) void subgroup_sums_f32(const float* __restrict__ x,
                                                         float* __restrict__ y) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < 16; ++k) {
    float s = v;
    for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(0xFFFFFFFFu, s, d);
    v = v * 0.5f + s * 0.03125f;
  }
  y[i] = v;
}
__global__ __launch_bounds__(256) void subgroup_sums_u32(const unsigned* __restrict__ x,
                                                         unsigned* __restrict__ y) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  unsigned v = x[i];
  for (int k = 0; k < 16; ++k) v = (v >> 1) + __reduce_add_sync(0xFFFFFFFFu, v);
  y[i] = v;
}

template <class F>
void print_time(F launch) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  for (int i = 0; i < 5; ++i) launch();
  std::vector<float> times;
  for (int i = 0; i < 50; ++i) {
    cudaEventRecord(begin);
    launch();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, begin, end);
    times.push_back(milliseconds * 1000);
  }
  std::sort(times.begin(), times.end());
  printf("%.2f\n", times[times.size() / 2]);
}

int main(int count, char** arguments) {
  const std::string name = count == 2 ? arguments[1] : "";
  const size_t n = size_t(8192) * 4096;
  float *x, *z, *y, *v;
  cudaMalloc(&x, n * 4);
  cudaMalloc(&z, n * 4);
  cudaMalloc(&y, n * 4);
  cudaMalloc(&v, 1 << 20);
  fill<<<1024, 256>>>(x, n);
  fill<<<1024, 256>>>(z, n);
  fill<<<1024, 256>>>(v, (1 << 20) / 4);
  if (name == "row_normalisation")
    print_time([&] { norm<<<8192, 256>>>(x, y, 4096); });
  else if (name == "row_softmax")
    print_time([&] { softmax<<<8192, 256>>>(x, y, 4096); });
  else if (name == "window")
    print_time([&] { window<<<dim3(128, 1024), dim3(32, 4)>>>(x, y, 4096, 4096); });
  else if (name == "matvec")
    print_time([&] { matvec<<<8192, 256>>>(x, v, y, 4096); });
  else if (name == "layer_norm")
    print_time([&] { layer_norm<<<8192, 128>>>(x, v, v + 8192, y, 4096); });
  else if (name == "column_sums")
    print_time([&] { column_sums<<<dim3(16, 64), 256>>>(x, y, 4096, 8192, 64); });
  else if (name == "grid_stride")
    print_time([&] { grid_stride<<<1056, 256>>>(x, z, y, unsigned(n)); });
  else if (name == "first_above")
    print_time([&] { first_above<<<8192, 128>>>(x, (unsigned*)y, 4096, 2.0f); });
  else if (name == "fir")
    print_time([&] { fir<<<16384, 256>>>(x, v, y, 4194304, 64); });
  else if (name == "subgroup_sums_f32")
    print_time([&] { subgroup_sums_f32<<<131072, 256>>>(x, y); });
  else if (name == "subgroup_sums_u32")
    print_time([&] { subgroup_sums_u32<<<131072, 256>>>((unsigned*)x, (unsigned*)y); });
  else
    return puts("twins KERNEL"), 2;
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
    fprintf(stderr, "%s: %s\n", name.c_str(), cudaGetErrorString(error));
    return 1;
  }
}
