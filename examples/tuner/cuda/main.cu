// A CUDA program that tunes two kernels of its own while they work: the block size, and a template
// parameter, how many elements a thread computes. Times come from CUDA's events, looked at when
// they are ready: nothing waits for the device but the verifier.
//
//   nvcc -O3 -arch=native main.cu -I$PREFIX/include -L$PREFIX/lib -lvyre -o tuned
//   ./tuned [MILLIONS_OF_ELEMENTS [CALLS]]
//
// The second run begins with what the first one found; `vyre cache list` shows it.
#include <cuda_runtime.h>
#include <vyre/c.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

// ---- The program's kernels, as they may look anywhere

template <int kItems>
__global__ void saxpy(float a, const float* x, const float* y, float* out, unsigned n) {
  const unsigned first = blockIdx.x * blockDim.x * kItems + threadIdx.x;
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const unsigned i = first + k * blockDim.x;
    if (i < n) out[i] = a * x[i] + y[i];
  }
}

// Five points; a thread computes kItems rows of its column.
template <int kItems>
__global__ void stencil(const float* in, float* out, unsigned width, unsigned height) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const unsigned y = blockIdx.y * kItems + k;
    if (y >= height) return;
    const float* at = in + y * static_cast<size_t>(width) + x;
    const bool inside = x > 0 && y > 0 && x + 1 < width && y + 1 < height;
    out[at - in] = inside ? 0.2F * (at[0] + at[-1] + at[1] + *(at - width) + at[width]) : at[0];
  }
}

__global__ void fill(float* x, unsigned n, float step) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = step * static_cast<float>(i % 1021);
}

__global__ void count_different(const float* a, const float* b, unsigned n, unsigned* count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && !(a[i] == b[i])) atomicAdd(count, 1U);
}

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

struct Variant {
  unsigned block;
  int items;
};

template <class Launch>
void with_items(int items, const Launch& launch) {
  switch (items) {
    case 1: return launch(std::integral_constant<int, 1>());
    case 2: return launch(std::integral_constant<int, 2>());
    case 4: return launch(std::integral_constant<int, 4>());
    default: return launch(std::integral_constant<int, 8>());
  }
}

unsigned blocks_for(unsigned n, unsigned each) { return (n + each - 1) / each; }

// ---- A kernel with its tuner

class TunedKernel {
 public:
  // Starts a variant that writes to `out`.
  using Launch = std::function<void(const Variant& variant, float* out)>;

  TunedKernel(const char* name, const std::string& size, unsigned elements, cudaStream_t stream,
              Launch launch)
      : name_(name), elements_(elements), stream_(stream), launch_(std::move(launch)) {
    // The first is the start: what the program would run without a tuner.
    variants_.push_back({256, 1});
    for (const unsigned block : {64U, 128U, 256U, 512U, 1024U}) {
      for (const int items : {1, 2, 4, 8}) {
        if (block != 256 || items != 1) variants_.push_back({block, items});
      }
    }
    for (const Variant& v : variants_) {
      texts_.push_back("block=" + std::to_string(v.block) + " items=" + std::to_string(v.items));
    }
    std::vector<const char*> candidates;
    for (const std::string& text : texts_) candidates.push_back(text.c_str());

    int device = 0, driver = 0;
    cudaDeviceProp properties;
    check(cudaGetDevice(&device));
    check(cudaGetDeviceProperties(&properties, device));
    check(cudaDriverGetVersion(&driver));
    const std::string driver_text = std::to_string(driver);
    vyre_tuner_key key = {};
    key.struct_size = sizeof key;
    key.name = name;
    key.version = "1";
    key.size = size.c_str();
    key.device = properties.name;
    key.driver = driver_text.c_str();
    vyre_tuner_options options = {};
    options.struct_size = sizeof options;
    options.clock_tick_ns = 500;  // of events
    check(vyre_tuner_open(nullptr, &key, candidates.data(), candidates.size(), &options, &tuner_));
    check(vyre_tuner_verify(tuner_, verify, this));
    check(cudaMalloc(&expected_, elements * sizeof(float)));
    check(cudaMalloc(&scratch_, elements * sizeof(float)));
    check(cudaMalloc(&different_, sizeof *different_));
  }

  // One call of the program's. It waits for nothing.
  void run(float* out) {
    harvest();
    vyre_tuner_call call = {};
    call.struct_size = sizeof call;
    while (true) {
      check(vyre_tuner_next(tuner_, &call));
      Timing timing{call, {}, {}};
      if (call.timed) begin(timing);
      launch_(variants_[call.candidate], out);
      const cudaError_t error = cudaGetLastError();
      if (error == cudaSuccess) {
        if (call.timed) end(timing);
        return;
      }
      // Too many registers for this block, say: the next answer is another one.
      check(vyre_tuner_fail(tuner_, &call, cudaGetErrorString(error)));
      if (call.timed) give_back(timing);
      if (++failures_ > texts_.size()) check(error);
    }
  }

  void progress(int calls) const {
    vyre_tuner_state state = {};
    state.struct_size = sizeof state;
    check(vyre_tuner_status(tuner_, &state));
    std::printf("%-8s call %5d  %-22s lost %6.2f ms of %6.2f ms allowed%s\n", name_, calls,
                texts_[best()].c_str(), state.lost_ns / 1e6, state.allowed_ns / 1e6,
                state.settled ? ", settled" : "");
  }

  // What it was worth: the first and the best choice in turns.
  void compare(float* out) {
    std::vector<double> first, tuned;
    for (int i = 0; i < 50; ++i) {
      first.push_back(microseconds(0, out));
      tuned.push_back(microseconds(best(), out));
    }
    std::sort(first.begin(), first.end());
    std::sort(tuned.begin(), tuned.end());
    std::printf("%-8s first %s: %.1f us, tuned %s: %.1f us, %.2f times as fast\n", name_,
                texts_[0].c_str(), first[25], texts_[best()].c_str(), tuned[25],
                first[25] / tuned[25]);
    char text[4096];
    check(vyre_tuner_explain(tuner_, text, sizeof text, nullptr));
    std::fputs(text, stdout);
  }

  void close() {
    check(cudaStreamSynchronize(stream_));
    harvest();
    check(vyre_tuner_close(tuner_));
    check(cudaFree(expected_));
    check(cudaFree(scratch_));
    check(cudaFree(different_));
    for (const cudaEvent_t event : events_) check(cudaEventDestroy(event));
  }

 private:
  struct Timing {
    vyre_tuner_call call;
    cudaEvent_t began, ended;
  };

  cudaEvent_t take_event() {
    cudaEvent_t event = nullptr;
    if (events_.empty()) {
      check(cudaEventCreate(&event));
    } else {
      event = events_.back();
      events_.pop_back();
    }
    return event;
  }

  void give_back(const Timing& timing) {
    events_.push_back(timing.began);
    events_.push_back(timing.ended);
  }

  void begin(Timing& timing) {
    timing.began = take_event();
    timing.ended = take_event();
    check(cudaEventRecord(timing.began, stream_));
  }

  void end(const Timing& timing) {
    check(cudaEventRecord(timing.ended, stream_));
    timings_.push_back(timing);
  }

  // Reports what has ended meanwhile.
  void harvest() {
    while (!timings_.empty() && cudaEventQuery(timings_.front().ended) == cudaSuccess) {
      const Timing timing = timings_.front();
      timings_.pop_front();
      float ms = 0;
      check(cudaEventElapsedTime(&ms, timing.began, timing.ended));
      check(vyre_tuner_report(tuner_, &timing.call, ms * 1e6));
      give_back(timing);
    }
    // Not an error of any launch.
    if (!timings_.empty()) static_cast<void>(cudaGetLastError());
  }

  uint32_t best() const {
    uint32_t candidate = 0;
    check(vyre_tuner_best(tuner_, &candidate));
    return candidate;
  }

  double microseconds(uint32_t candidate, float* out) {
    Timing timing{};
    begin(timing);
    launch_(variants_[candidate], out);
    check(cudaEventRecord(timing.ended, stream_));
    check(cudaEventSynchronize(timing.ended));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, timing.began, timing.ended));
    give_back(timing);
    return ms * 1e3;
  }

  // Whether a candidate writes what the first one writes. The program's own results stay untouched.
  static int verify(void* user_data, uint32_t candidate, vyre_tuner_verdict* verdict) {
    TunedKernel& kernel = *static_cast<TunedKernel*>(user_data);
    unsigned different = 0;
    // What the device had to do anyway is not charged.
    cudaError_t error = cudaStreamSynchronize(kernel.stream_);
    const auto began = std::chrono::steady_clock::now();
    kernel.launch_(kernel.variants_[0], kernel.expected_);
    cudaMemsetAsync(kernel.scratch_, 0xFF, kernel.elements_ * sizeof(float), kernel.stream_);
    kernel.launch_(kernel.variants_[candidate], kernel.scratch_);
    if (error == cudaSuccess) error = cudaGetLastError();
    if (error == cudaSuccess) {
      cudaMemsetAsync(kernel.different_, 0, sizeof different, kernel.stream_);
      count_different<<<blocks_for(kernel.elements_, 256), 256, 0, kernel.stream_>>>(
          kernel.expected_, kernel.scratch_, kernel.elements_, kernel.different_);
      cudaMemcpyAsync(&different, kernel.different_, sizeof different, cudaMemcpyDeviceToHost,
                      kernel.stream_);
      error = cudaStreamSynchronize(kernel.stream_);
    }
    const std::chrono::duration<double, std::nano> cost = std::chrono::steady_clock::now() - began;
    verdict->cost_ns = cost.count();
    if (error == cudaSuccess) return different == 0 ? 1 : 0;
    std::snprintf(verdict->why, sizeof verdict->why, "%s", cudaGetErrorString(error));
    return -1;
  }

  const char* name_;
  unsigned elements_;
  cudaStream_t stream_;
  Launch launch_;
  std::vector<Variant> variants_;
  std::vector<std::string> texts_;
  vyre_tuner tuner_ = 0;
  float *expected_ = nullptr, *scratch_ = nullptr;
  unsigned* different_ = nullptr;
  std::deque<Timing> timings_;
  std::vector<cudaEvent_t> events_;
  size_t failures_ = 0;
};

int main(int argc, char** argv) {
  int devices = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&devices); error != cudaSuccess || !devices) {
    std::printf("there is no GPU to tune for: %s\n",
                error != cudaSuccess ? cudaGetErrorString(error) : "no device");
    return 0;
  }
  const unsigned millions = argc > 1 ? std::min(255, std::max(1, std::atoi(argv[1]))) : 64;
  const int calls = argc > 2 ? std::max(8, std::atoi(argv[2])) : 2000;
  const unsigned n = millions << 20, width = 4096, height = n / width;
  const size_t bytes = n * sizeof(float);
  float *x = nullptr, *y = nullptr, *out = nullptr;
  cudaStream_t stream = nullptr;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaStreamCreate(&stream));
  fill<<<blocks_for(n, 256), 256, 0, stream>>>(x, n, 0.5F);
  fill<<<blocks_for(n, 256), 256, 0, stream>>>(y, n, 0.25F);

  TunedKernel axpy("saxpy", std::to_string(n), n, stream, [&](const Variant& v, float* to) {
    with_items(v.items, [&](auto items) {
      saxpy<items()><<<blocks_for(n, v.block * items()), v.block, 0, stream>>>(2, x, y, to, n);
    });
  });
  const std::string plane = std::to_string(width) + "x" + std::to_string(height);
  TunedKernel smooth("stencil", plane, n, stream, [&](const Variant& v, float* to) {
    with_items(v.items, [&](auto items) {
      const dim3 grid(blocks_for(width, v.block), blocks_for(height, items()));
      stencil<items()><<<grid, v.block, 0, stream>>>(x, to, width, height);
    });
  });

  // The program's own work.
  for (int i = 1; i <= calls; ++i) {
    axpy.run(out);
    smooth.run(out);
    // Now and then the program looks at a result, as programs do.
    float first = 0;
    if (i % 16 == 0) check(cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost));
    if (i % (calls / 8) == 0) {
      axpy.progress(i);
      smooth.progress(i);
    }
  }
  for (TunedKernel* kernel : {&axpy, &smooth}) {
    kernel->compare(out);
    kernel->close();
  }
  check(cudaStreamDestroy(stream));
  for (float* memory : {x, y, out}) check(cudaFree(memory));
}
