// Code that the CPU has loaded, and the environment in which its calls run.
#pragma once

#include <xmmintrin.h>

#include <atomic>
#include <cstdint>

#include "vyre/device/device.h"

namespace vyre {

// The number of launches between two measurements of an invocation's time.
constexpr std::uint32_t kLookAgain = 64;
// The number of invocations between two tests of the stop flag; at this size the test costs
// nothing.
constexpr std::uint64_t kSliceInvocations = std::uint64_t{1} << 20;

// Kernels compute by WGSL's rules, whatever rounding mode or denormal flushing the caller has set.
class FloatEnvironment {
 public:
  FloatEnvironment() : saved_(_mm_getcsr()) { _mm_setcsr(0x1F80); }
  ~FloatEnvironment() { _mm_setcsr(saved_); }
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
  unsigned saved_;
};

class CpuCode final : public LoadedCode {
 public:
  explicit CpuCode(HostCode host) : code(std::move(host)) {}
  CodeFacts facts() const override { return {.brief = code.brief}; }

  // The time of an invocation when it was last measured, and whether to measure it again.
  double invocation_ns() const { return invocation_ns_.load(std::memory_order_relaxed); }
  bool look() const { return launches_.fetch_add(1, std::memory_order_relaxed) % kLookAgain == 0; }
  void saw(double ns) const { invocation_ns_.store(ns, std::memory_order_relaxed); }

  const HostCode code;

 private:
  mutable std::atomic<double> invocation_ns_{0};
  mutable std::atomic<std::uint32_t> launches_{0};
};

// Why a launch failed.
std::unexpected<Error> lacks_memory(const Launch& launch);
std::unexpected<Error> lacks_stack(const Launch& launch);
std::unexpected<Error> was_stopped(const Launch& launch, bool late);
// Resets a flag that the watchdog has raised.
void take_back(std::atomic<std::uint32_t>& stop);

}  // namespace vyre
