// A libcuda.so.1 for machines that have none: the tests' fake driver under the driver's own names,
// with the kernels of cuda.c as functions. What it cannot show is whether PTX computes that.
#include <new>

#include "vyre/device/cuda/fake_driver_testing.h"

namespace vyre {
namespace {

enum : CuResult { kOk = 0 };

std::uint32_t* words_at(CuAddress address) {
  return reinterpret_cast<std::uint32_t*>(static_cast<std::uintptr_t>(address));
}

// x *= 2: address and bytes of the binding, the extent, deadline, status.
CuResult twice(const FakeLaunch& launch) {
  const std::uint64_t count = launch.get<std::uint64_t>(1) / 4;
  const std::uint64_t extent = launch.get<std::uint32_t>(2);
  std::uint32_t* x = words_at(launch.get<CuAddress>(0));
  for (std::uint64_t i = 0; i < std::min(count, extent); ++i) x[i] *= 2;
  return kOk;
}

// x += a: address and bytes of the binding, the extent, a.
CuResult add(const FakeLaunch& launch) {
  const std::uint64_t count = launch.get<std::uint64_t>(1) / 4;
  const std::uint64_t lanes = std::uint64_t{launch.grid[0]} * launch.block[0];
  const std::uint64_t extent = launch.get<std::uint32_t>(2);
  std::uint32_t* x = words_at(launch.get<CuAddress>(0));
  for (std::uint64_t i = 0; i < std::min({count, lanes, extent}); ++i) {
    x[i] += launch.get<std::uint32_t>(3);
  }
  return kOk;
}

FakeDriver& driver() {
  static FakeDriver& made = *new FakeDriver;  // like a driver, it stays to the process's end
  return made;
}

CudaDriver make_table() {
  driver().kernels["vyre_kernel"] = {.parameter_bytes = {8, 8, 4, 4, 4, 8, 8}, .run = twice};
  driver().kernels["add"] = {.parameter_bytes = {8, 8, 4, 4}, .run = add};
  CudaDriver table = driver().table;
  table.set_words = [](CuAddress at, unsigned value, std::size_t count, CuStream stream) {
    // In the stream's order: whoever waits for it finds all done.
    if (const CuResult ended = driver().table.stream_synchronize(stream); ended != kOk) {
      return ended;
    }
    std::fill_n(words_at(at), count, value);
    return CuResult{kOk};
  };
  return table;
}

CuResult start_up(unsigned flags);

// Until it is initialized. Where a process has no memory left, the loader must not meet an
// exception.
constexpr CudaDriver before_it_begins() {
  CudaDriver table;
  table.init = start_up;
  table.error_name = [](CuResult, const char**) { return CuResult{cu::kNotInitialized}; };
  table.error_text = [](CuResult, const char**) { return CuResult{cu::kNotInitialized}; };
  return table;
}

}  // namespace
}  // namespace vyre

extern "C" {
__attribute__((visibility("hidden"))) constinit vyre::CudaDriver pretended =
    vyre::before_it_begins();
}

namespace vyre {
namespace {

CuResult start_up(unsigned flags) try {
  pretended = make_table();
  return pretended.init(flags);
} catch (const std::bad_alloc&) {
  return cu::kOutOfMemory;
}

}  // namespace
}  // namespace vyre

extern "C" {

__attribute__((visibility("default"))) int cuDevicePrimaryCtxRetain(vyre::CuContext* context, int) {
  if (pretended.init == vyre::start_up) vyre::start_up(0);
  static const vyre::CuContext made = vyre::driver().make_context();
  *context = made;
  return 0;
}
}

// Each of the driver's functions jumps to where its member of the table points.
#define PRETEND(member, symbol, parameters)                                                       \
  extern "C" __attribute__((visibility("default"), naked)) void pretended_##member() asm(symbol); \
  void pretended_##member() {                                                                     \
    asm volatile("jmp *pretended+%c0(%%rip)" ::"i"(offsetof(vyre::CudaDriver, member)));          \
  }
VYRE_CUDA_FUNCTIONS(PRETEND)
VYRE_CUDA_NEWER_FUNCTIONS(PRETEND)
