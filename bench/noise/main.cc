// noise_bench DEVICE [COUNT [ELEMENTS]]: how the times of one kernel scatter on this machine.
//
// Runs the same call COUNT times and prints the device's time of each in nanoseconds, one a line: a
// recording for src/tune/online/noise, in which simulated searches meet real noise.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "vyre/engine/session.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

constexpr const char* kText = R"(
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(256) fn saxpy(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&y)) { y[id.x] = 0.5 * y[id.x] + x[id.x]; }
}
)";

Result<void> record(std::string_view device, unsigned count, std::uint32_t elements) {
  const ParsedModule parsed = parse_wgsl(kText);
  VYRE_TRY(const Kernel kernel, make_kernel(*parsed.module->find("saxpy")));
  VYRE_TRY(const Session session, Session::open(device, {}));
  VYRE_TRY(const Buffer x, session.buffer(std::uint64_t{elements} * 4));
  VYRE_TRY(const Buffer y, session.buffer(std::uint64_t{elements} * 4));
  const std::vector<Binding> bindings{{.group = 0, .binding = 0, .buffer = x},
                                      {.group = 0, .binding = 1, .buffer = y}};
  VYRE_TRY(const Dispatch dispatch,
           session.prepare(kernel, bindings, DispatchSize::extent({elements, 1, 1})));
  for (unsigned i = 0; i < 100 + count; ++i) {  // the first hundred warm up
    VYRE_TRY(const auto time, session.time(dispatch));
    if (i >= 100) fmt::print("{}\n", time.count());
  }
  return {};
}

}  // namespace
}  // namespace vyre

int main(int argc, char** argv) {
  const char* device = argc > 1 ? argv[1] : "auto";
  const unsigned long count = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 8192;
  const unsigned long elements = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 1'000'000;
  const auto done =
      vyre::record(device, static_cast<unsigned>(count), static_cast<std::uint32_t>(elements));
  if (done) return 0;
  fmt::print(stderr, "noise_bench: {}\n", describe(done.error()));
  return 1;
}
