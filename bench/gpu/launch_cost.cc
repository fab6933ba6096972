#include "launch_cost.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "side.h"

namespace vyre::bench {
namespace {

using Clock = std::chrono::steady_clock;

double median(std::vector<double> v) {
  std::ranges::sort(v);
  return v[v.size() / 2];
}

// The few functions of the driver that a bare launch needs.
struct Driver {
  int (*load)(void** module, const void* image) = nullptr;
  int (*function)(void** function, void* module, const char* name) = nullptr;
  int (*stream)(void** stream, unsigned flags) = nullptr;
  int (*launch)(void* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                unsigned bz, unsigned shared, void* stream, void** parameters,
                void** extra) = nullptr;
  int (*wait)(void* stream) = nullptr;
};

Result<Driver> open_driver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return fail(Code::unavailable, dlerror());
  Driver out;
  const auto find = [&](auto& f, const char* name) {
    f = reinterpret_cast<std::remove_reference_t<decltype(f)>>(dlsym(library, name));
    return f != nullptr;
  };
  if (!find(out.load, "cuModuleLoadData") || !find(out.function, "cuModuleGetFunction") ||
      !find(out.stream, "cuStreamCreate") || !find(out.launch, "cuLaunchKernel") ||
      !find(out.wait, "cuStreamSynchronize")) {
    return fail(Code::unavailable, "the driver lacks a function");
  }
  return out;
}

double per_launch_ns(const std::function<void()>& one, const std::function<void()>& wait) {
  constexpr int kLaunches = 200;  // fewer than a stream's queue holds
  const auto start = Clock::now();
  for (int i = 0; i < kLaunches; ++i) one();
  const double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  wait();
  return ns / kLaunches;
}

}  // namespace

Result<LaunchCost> measure_launch_cost(const Session& session, std::vector<std::byte> cubin) {
  VYRE_TRY(const Kernel kernel, kernel_of("@compute @workgroup_size(64) fn empty() {}", "empty"));
  VYRE_TRY(const Dispatch ours, session.prepare(kernel, {}, DispatchSize::workgroups({1, 1, 1})));
  OwnKernel own{.name = "empty", .code = {}, .workgroup = {64, 1, 1}};
  own.code.cubin = cubin;
  own.code.entry = "empty";
  VYRE_TRY(const Dispatch theirs, session.prepare(own, {}, DispatchSize::workgroups({1, 1, 1})));
  VYRE_CHECK(session.run(ours));  // its context is this thread's now
  VYRE_TRY(const Driver driver, open_driver());
  void* module = nullptr;
  void* function = nullptr;
  void* stream = nullptr;
  if (driver.load(&module, cubin.data()) != 0 || driver.function(&function, module, "empty") != 0 ||
      driver.stream(&stream, 1) != 0) {
    return fail(Code::device, "the bare kernel does not load");
  }
  const auto bare = [&] {
    driver.launch(function, 1, 1, 1, 64, 1, 1, 0, stream, nullptr, nullptr);
  };
  const auto submit = [&](const Dispatch& d) {
    if (const auto done = session.submit(d); !done)
      fmt::print(stderr, "{}\n", describe(done.error()));
  };
  const auto wait = [&] { (void)session.wait(); };
  std::vector<double> times[3];
  for (int round = 0; round < 200; ++round) {
    times[0].push_back(per_launch_ns(bare, [&] { driver.wait(stream); }));
    times[1].push_back(per_launch_ns([&] { submit(theirs); }, wait));
    times[2].push_back(per_launch_ns([&] { submit(ours); }, wait));
  }
  return LaunchCost{median(times[0]), median(times[1]), median(times[2])};
}

Result<SecondStart> measure_second_start(std::string_view device, const std::string& wgsl,
                                         const std::filesystem::path& folder) {
  SecondStart out;
  for (const bool second : {false, true}) {
    VYRE_TRY(const Session session, Session::open(device, {.cpu = {}, .code_folder = folder}));
    VYRE_TRY(const Buffer buffer, session.buffer(1 << 20));
    VYRE_TRY(const Buffer other, session.buffer(1 << 20));
    VYRE_TRY(const Buffer third, session.buffer(1 << 20));
    VYRE_TRY(const Buffer shape, session.buffer(256));
    const auto start = Clock::now();
    VYRE_TRY(const Kernel kernel, kernel_of(wgsl, "saxpy"));
    const std::vector<Binding> bindings{
        {0, 0, shape, 0, {}}, {0, 1, buffer, 0, {}}, {0, 2, other, 0, {}}, {0, 3, third, 0, {}}};
    VYRE_TRY(const Dispatch dispatch,
             session.prepare(kernel, bindings, DispatchSize::extent({1 << 18, 1, 1})));
    VYRE_CHECK(session.submit(dispatch));
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    VYRE_CHECK(session.wait());
    (second ? out.second_ms : out.first_ms) = ms;
    if (second) out.from_disk = dispatch.code_source() == CodeSource::disk;
  }
  return out;
}

}  // namespace vyre::bench
