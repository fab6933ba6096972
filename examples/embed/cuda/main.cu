// A CUDA program whose middle step is a WGSL kernel: same context, same stream, same pointers.
#include <cuda.h>
#include <vyre/c.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

__global__ void fill(float* x, float* y, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = static_cast<float>(i), y[i] = 0;
}

__global__ void add_one(float* y, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += 1;
}

constexpr const char* kSaxpy = R"(
override a: f32;
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(256)
fn saxpy(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&y)) {
    y[id.x] = a * x[id.x] + y[id.x];
  }
}
)";

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

void check(vyre_code code) {
  if (code == VYRE_OK) return;
  std::fprintf(stderr, "%s: %s\n", vyre_code_text(code), vyre_last_error_text());
  std::exit(1);
}

// A session that works where this thread's CUDA calls work, and submits to their stream.
vyre_session open_as_guest(cudaStream_t stream) {
  CUcontext context = nullptr;
  cuCtxGetCurrent(&context);
  vyre_cuda_options options = {};
  options.struct_size = sizeof options;
  options.context = context;
  options.stream = stream;
  options.has_stream = 1;
  vyre_session session = 0;
  check(vyre_session_open_cuda(&options, nullptr, &session));
  return session;
}

// y = a * x + y, compiled and bound once, for n floats that stay the program's own.
vyre_dispatch prepare_saxpy(vyre_session session, float a, float* x, float* y, unsigned n) {
  vyre_module module = 0;
  vyre_kernel kernel = 0;
  vyre_buffer on_x = 0, on_y = 0;
  vyre_dispatch dispatch = 0;
  const std::uint64_t bytes = n * sizeof(float);
  const vyre_override value_of_a = {"a", 0, 0, a};
  check(vyre_module_load(session, kSaxpy, VYRE_TO_THE_END, "saxpy.wgsl", &module));
  check(vyre_kernel_create(module, "saxpy", &value_of_a, 1, &kernel));
  check(vyre_buffer_adopt_address(session, reinterpret_cast<std::uint64_t>(x), bytes, &on_x));
  check(vyre_buffer_adopt_address(session, reinterpret_cast<std::uint64_t>(y), bytes, &on_y));
  const vyre_binding bindings[] = {{0, 0, on_x, 0, VYRE_TO_THE_END},
                                   {0, 1, on_y, 0, VYRE_TO_THE_END}};
  const vyre_grid grid = {VYRE_INVOCATIONS, n, 1, 1};
  check(vyre_dispatch_create(kernel, bindings, 2, &grid, nullptr, &dispatch));
  return dispatch;
}

int main() {
  constexpr unsigned n = 1 << 20, threads = 256, blocks = n / threads;
  float *x = nullptr, *y = nullptr, first[4] = {};
  cudaStream_t stream = nullptr;
  check(cudaMalloc(&x, n * sizeof(float)));
  check(cudaMalloc(&y, n * sizeof(float)));
  check(cudaStreamCreate(&stream));
  const vyre_session session = open_as_guest(stream);
  const vyre_dispatch saxpy = prepare_saxpy(session, 2, x, y, n);

  fill<<<blocks, threads, 0, stream>>>(x, y, n);
  check(vyre_dispatch_submit(saxpy, VYRE_NO_DEADLINE));
  add_one<<<blocks, threads, 0, stream>>>(y, n);
  check(cudaMemcpyAsync(first, y, sizeof first, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  std::printf("vyre %s: %g %g %g %g\n", vyre_version(), first[0], first[1], first[2], first[3]);

  // The session first: it may still use what is the program's.
  check(vyre_session_close(session));
  check(cudaStreamDestroy(stream));
  check(cudaFree(x));
  check(cudaFree(y));
}
