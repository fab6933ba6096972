// A WGSL kernel compiled for a device, and run there again and again.
#include <vyre/session.h>
#include <vyre/vyre.h>

#include <array>
#include <chrono>
#include <iostream>
#include <span>

constexpr const char* kSaxpy = R"(
@group(0) @binding(0) var<uniform> a: f32;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn saxpy(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&y)) {
    y[id.x] = a * x[id.x] + y[id.x];
  }
}
)";

vyre::Result<void> saxpy_twice(float a, std::span<const float> x, std::span<float> y) {
  const vyre::ParsedModule parsed = vyre::parse_wgsl(kSaxpy, "saxpy.wgsl");
  VYRE_TRY(const vyre::Kernel kernel, parsed.kernel("saxpy"));

  // VYRE_THREADS, and the user's cache of compiled code.
  VYRE_TRY(const auto options, vyre::SessionOptions::from_environment());
  VYRE_TRY(const auto session, vyre::Session::open("auto", options));

  VYRE_TRY(const auto on_device_a, session.buffer(sizeof a));
  VYRE_TRY(const auto on_device_x, session.buffer(x.size_bytes()));
  VYRE_TRY(const auto on_device_y, session.buffer(y.size_bytes()));
  VYRE_CHECK(session.write(on_device_a, 0, std::as_bytes(std::span(&a, 1))));
  VYRE_CHECK(session.write(on_device_x, 0, std::as_bytes(x)));
  VYRE_CHECK(session.write(on_device_y, 0, std::as_bytes(y)));

  // Compiled, bound and sized once.
  const std::array bindings{vyre::Binding{0, 0, on_device_a}, vyre::Binding{0, 1, on_device_x},
                            vyre::Binding{0, 2, on_device_y}};
  const auto n = static_cast<std::uint32_t>(y.size());
  VYRE_TRY(const auto dispatch,
           session.prepare(kernel, bindings, vyre::DispatchSize::extent({n, 1, 1})));
  VYRE_CHECK(session.run(dispatch));
  VYRE_CHECK(session.run(dispatch, {.deadline = std::chrono::seconds(1)}));
  return session.read(on_device_y, 0, std::as_writable_bytes(y));
}

int main() {
  const std::array<float, 4> x{0, 1, 2, 3};
  std::array<float, 4> y{1, 1, 1, 1};
  if (const vyre::Result<void> done = saxpy_twice(1, x, y); !done) {
    std::cerr << vyre::describe(done.error()) << "\n";
    return 1;
  }
  std::cout << "vyre " << vyre::version() << ":";
  for (const float value : y) std::cout << " " << value;
  std::cout << "\n";
}
