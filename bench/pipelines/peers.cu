// What pipelines_bench is compared with on a GPU, by hand and without vyre: a CUDA graph of the 64
// tiny stages, built from nodes, and the four elementwise stages as one kernel and as four.
//
//   nvcc -O3 -arch=native peers.cu -o peers && ./peers
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define OK(x)                                                              \
  do {                                                                     \
    const cudaError_t e = (x);                                             \
    if (e != cudaSuccess) {                                                \
      std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(e));       \
      std::exit(1);                                                        \
    }                                                                      \
  } while (0)

__global__ void more(const float* a, float* b, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[i] + 3.0f;
}
__global__ void half_(const float* a, float* b, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[i] * 0.5f;
}
__global__ void least(const float* a, float* b, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = fminf(a[i], 1000.0f);
}
__global__ void all(const float4* a, float4* b, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 v = a[i];
  const auto f = [](float x) { return fminf((x * 0.5f + 3.0f) * 0.5f, 1000.0f); };
  b[i] = make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
}
__global__ void iota(float* a, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = float(i);
}

template <class Run>
double median_us(unsigned times, Run run) {
  std::vector<double> all;
  for (int r = 0; r < 15; ++r) {
    const auto begun = std::chrono::steady_clock::now();
    for (unsigned i = 0; i < times; ++i) run();
    all.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begun).count() / times);
  }
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

static void tiny() {
  unsigned n = 4096;
  float *x, *s, *t, *y;
  for (float** p : {&x, &s, &t, &y}) OK(cudaMalloc(p, n * 4));
  iota<<<16, 256>>>(x, n);
  cudaGraph_t graph;
  OK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t last{};
  for (int i = 0; i < 64; ++i) {
    float* from = i == 0 ? x : i % 2 == 1 ? s : t;
    float* to = i == 63 ? y : i % 2 == 0 ? s : t;
    void* arguments[] = {&from, &to, &n};
    cudaKernelNodeParams p{};
    p.func = reinterpret_cast<void*>(more);
    p.gridDim = dim3(16);
    p.blockDim = dim3(256);
    p.kernelParams = arguments;
    cudaGraphNode_t node;
    OK(cudaGraphAddKernelNode(&node, graph, &last, i == 0 ? 0 : 1, &p));
    last = node;
  }
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  cudaStream_t stream;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaDeviceSynchronize());
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  std::vector<float> got(n);
  OK(cudaMemcpy(got.data(), y, n * 4, cudaMemcpyDeviceToHost));
  for (unsigned i = 0; i < n; ++i) {
    if (got[i] != float(i) + 192.0f) { std::printf("wrong at %u\n", i); std::exit(1); }
  }
  std::printf("tiny     graph by hand              %12.2f us\n", median_us(50, [&] { OK(cudaGraphLaunch(exec, stream)); OK(cudaStreamSynchronize(stream)); }));
  std::printf("tiny     graph by hand, 100 in a row%12.2f us\n", median_us(1, [&] { for (int i = 0; i < 100; ++i) OK(cudaGraphLaunch(exec, stream)); OK(cudaStreamSynchronize(stream)); }) / 100);
}

static void chain() {
  const unsigned n = 64u << 20;
  float *x, *r, *s, *t, *y;
  for (float** p : {&x, &r, &s, &t, &y}) OK(cudaMalloc(p, size_t{n} * 4));
  const unsigned groups = n / 256;
  iota<<<groups, 256>>>(x, n);
  OK(cudaDeviceSynchronize());
  const auto fused = [&] { all<<<groups / 4, 256>>>(reinterpret_cast<float4*>(x), reinterpret_cast<float4*>(y), n / 4); OK(cudaDeviceSynchronize()); };
  const auto apart = [&] { half_<<<groups, 256>>>(x, r, n); more<<<groups, 256>>>(r, s, n); half_<<<groups, 256>>>(s, t, n); least<<<groups, 256>>>(t, y, n); OK(cudaDeviceSynchronize()); };
  for (int i = 0; i < 3; ++i) { fused(); apart(); }
  std::printf("chain    one kernel by hand         %12.2f us\n", median_us(5, fused));
  std::printf("chain    four kernels by hand       %12.2f us\n", median_us(5, apart));
}

int main() {
  tiny();
  chain();
}
