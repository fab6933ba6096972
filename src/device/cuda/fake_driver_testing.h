// A driver for tests that need no GPU: its memory is the host's, its kernels are functions of the
// test, its streams can be held so that work stays unfinished, and any call can be made to fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "vyre/device/cuda/driver_internal.h"
#include "vyre/target/code.h"

namespace vyre {

struct FakeLaunch {
  Extent grid{}, block{};
  unsigned dynamic_shared = 0;
  std::vector<std::vector<std::byte>> parameters{};

  template <class T>
  T get(std::size_t i) const {
    T value{};
    std::memcpy(&value, parameters.at(i).data(), sizeof value);
    return value;
  }
};

struct FakeKernel {
  std::vector<std::size_t> parameter_bytes{};
  // What running it answers: 0, or an error that loses the context.
  std::function<CuResult(const FakeLaunch&)> run{};
  int registers = 32;
  int static_shared = 0;
  std::function<int()> local_bytes{};  // that a lane has in memory, asked for each code
};

// One at a time, because the driver's functions have no state of their own.
class FakeDriver {
 public:
  FakeDriver();
  ~FakeDriver();
  FakeDriver(const FakeDriver&) = delete;
  FakeDriver& operator=(const FakeDriver&) = delete;

  CudaDriver table;
  std::map<std::string, FakeKernel> kernels;
  int devices = 1;
  bool capturing = false;  // an application records its streams into a graph
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  // The offset of the timer from the host's steady clock, in nanoseconds.
  std::int64_t timer_offset = 1'000'000'000'000;

  std::set<std::string> staying{};  // kernels that run on until they are taken out

  // The next call of that function returns this result and does nothing.
  void fail_next(const std::string& function, CuResult result);
  unsigned calls(const std::string& function) const;
  // The names of the functions called since the last time, in their order.
  std::vector<std::string> take_log();
  // held: work is kept from now on, and runs when it is released or when somebody waits for it.
  void hold(bool held);
  unsigned live_allocations() const;
  unsigned live_modules() const;
  unsigned live_graphs() const;
  unsigned live_pinned() const;
  unsigned live_contexts() const;
  unsigned live_streams() const;
  std::vector<FakeLaunch> launches() const;

  // Makes a context of the application.
  CuContext make_context();
  static CuContext current_context();
  static void set_current(CuContext context);

  struct State;

 private:
  std::unique_ptr<State> state_;
};

// Code that the fake driver takes, for one of its kernels.
GpuCode fake_code(const std::string& entry, std::vector<GpuParameter> parameters);

}  // namespace vyre
