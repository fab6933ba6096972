// A real device for tests, or a reason to skip them; and kernels for it as text.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstring>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "vyre/device/cuda/cuda_device.h"

namespace vyre::cuda_real {

using Clock = std::chrono::steady_clock;

inline constexpr const char* kHeader = ".version 6.0\n.target sm_50\n.address_size 64\n";

// y[i] = a * x[i] + y[i] for every i inside the extent.
inline constexpr const char* kSaxpy = R"(
.visible .entry saxpy(.param .u64 x, .param .u64 y, .param .u32 n, .param .f32 a)
{
  .reg .pred %p<2>;
  .reg .b32 %r<5>;
  .reg .f32 %f<5>;
  .reg .b64 %rd<6>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r1, %r1, %r2, %r3;
  ld.param.u32 %r4, [n];
  setp.ge.u32 %p1, %r1, %r4;
  @%p1 bra end;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.f32 %f1, [a];
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4];
  ld.global.f32 %f3, [%rd5];
  fma.rn.f32 %f4, %f1, %f2, %f3;
  st.global.f32 [%rd5], %f4;
end:
  ret;
}
)";

// Runs until the timer has passed the deadline, and says so.
inline constexpr const char* kEndless = R"(
.visible .entry endless(.param .u64 deadline, .param .u64 status)
{
  .reg .pred %p<2>;
  .reg .b32 %r<2>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [deadline];
  ld.param.u64 %rd2, [status];
again:
  mov.u64 %rd3, %globaltimer;
  setp.lt.u64 %p1, %rd3, %rd1;
  @%p1 bra again;
  mov.u32 %r1, 1;
  st.global.u32 [%rd2], %r1;
  ret;
}
)";

// Runs for so many nanoseconds.
inline constexpr const char* kSpin = R"(
.visible .entry spin(.param .u64 nanoseconds)
{
  .reg .pred %p<2>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [nanoseconds];
  mov.u64 %rd2, %globaltimer;
  add.s64 %rd1, %rd1, %rd2;
again:
  mov.u64 %rd3, %globaltimer;
  setp.lt.u64 %p1, %rd3, %rd1;
  @%p1 bra again;
  ret;
}
)";

inline constexpr const char* kCrash = R"(
.visible .entry crash()
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  mov.u64 %rd1, 64;
  mov.u32 %r1, 1;
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

inline constexpr const char* kNothing =
    ".visible .entry nothing(.param .u64 x, .param .u64 y, "
    ".param .u32 n, .param .f32 a)\n{\n  ret;\n}\n";

inline GpuParameter value_parameter(const auto& value) {
  GpuParameter out{.kind = GpuParameterKind::value};
  out.value.resize(sizeof value);
  std::memcpy(out.value.data(), &value, sizeof value);
  return out;
}

inline GpuCode gpu_code(const char* body, const char* entry, std::vector<GpuParameter> parameters) {
  return {.ptx = std::string(kHeader) + body,
          .cubin = {},
          .entry = entry,
          .parameters = std::move(parameters),
          .dynamic_shared_bytes = 0};
}

inline GpuCode saxpy_code(const char* body = kSaxpy, const char* entry = "saxpy") {
  return gpu_code(body, entry,
                  {{.kind = GpuParameterKind::address, .slot = 0},
                   {.kind = GpuParameterKind::address, .slot = 1},
                   {.kind = GpuParameterKind::extent, .slot = 0},
                   value_parameter(2.0F)});
}

inline GpuCode endless_code() {
  return gpu_code(kEndless, "endless",
                  {{.kind = GpuParameterKind::deadline}, {.kind = GpuParameterKind::status}});
}

inline GpuCode spin_code(std::chrono::nanoseconds time) {
  return gpu_code(kSpin, "spin", {value_parameter(std::int64_t{time.count()})});
}

inline double milliseconds(Clock::duration d) {
  return std::chrono::duration<double, std::milli>(d).count();
}

inline BoundMemory all_of(const DeviceMemory& memory) { return {memory.address, memory.bytes}; }

// The value; a test ends where there is none.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(describe(result.error()));
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

class CudaReal : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto count = cuda_device_count(); !count) {
      ASSERT_EQ(count.error().code, Code::unavailable);
      GTEST_SKIP() << count.error().what;
    }
    device_ = must(open_cuda(0));
    queue_ = must(device_->make_queue());
  }

  std::shared_ptr<const LoadedCode> load(GpuCode code) {
    return must(device_->load(std::move(code)));
  }
  Launch saxpy(const LoadedCode& code, std::span<const BoundMemory> bindings, std::uint32_t n) {
    return {.code = &code,
            .kernel = "saxpy",
            .bindings = bindings,
            .grid = {(n + 255) / 256, 1, 1},
            .extent = {n, 1, 1},
            .workgroup = {256, 1, 1}};
  }
  // Whether a saxpy gives what it should on this device.
  static bool computes(Device& device, Queue& queue) {
    constexpr std::uint32_t kCount = 1000;
    auto code = must(device.load(saxpy_code()));
    auto x = must(device.allocate(kCount * 4));
    auto y = must(device.allocate(kCount * 4));
    std::vector<float> values(kCount), got(kCount);
    std::iota(values.begin(), values.end(), 0.0F);
    must(queue.write(all_of(x), std::as_bytes(std::span(values))));
    must(queue.write(all_of(y), std::as_bytes(std::span(values))));
    const std::array bindings{all_of(x), all_of(y)};
    must(queue.launch({.code = code.get(),
                       .kernel = "saxpy",
                       .bindings = bindings,
                       .grid = {8, 1, 1},
                       .extent = {kCount - 1, 1, 1},
                       .workgroup = {128, 1, 1}}));
    must(queue.read(all_of(y), std::as_writable_bytes(std::span(got))));
    for (std::uint32_t i = 0; i < kCount; ++i) {
      const float expected = i == kCount - 1 ? values[i] : 3 * values[i];
      if (got[i] != expected) return false;
    }
    return true;
  }

  std::shared_ptr<CudaDevice> device_;
  std::shared_ptr<Queue> queue_;
};

}  // namespace vyre::cuda_real
