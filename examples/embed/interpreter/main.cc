// A WGSL kernel on the reference interpreter. Needs no LLVM and no device.
#include <vyre/vyre.h>

#include <array>
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

vyre::Result<void> saxpy(float a, std::span<float> x, std::span<float> y) {
  const vyre::ParsedModule parsed = vyre::parse_wgsl(kSaxpy, "saxpy.wgsl");
  VYRE_TRY(const vyre::Kernel kernel, parsed.kernel("saxpy"));

  const std::array buffers{
      vyre::BoundBuffer{0, 0, std::as_writable_bytes(std::span(&a, 1))},
      vyre::BoundBuffer{0, 1, std::as_writable_bytes(x)},
      vyre::BoundBuffer{0, 2, std::as_writable_bytes(y)},
  };
  VYRE_CHECK(vyre::interpret(kernel, buffers, {.grid = {1, 1, 1}}));
  return {};
}

int main() {
  std::array<float, 4> x{0, 1, 2, 3};
  std::array<float, 4> y{1, 1, 1, 1};
  if (const vyre::Result<void> done = saxpy(2, x, y); !done) {
    std::cerr << vyre::describe(done.error()) << "\n";
    return 1;
  }
  std::cout << "vyre " << vyre::version() << ":";
  for (const float value : y) std::cout << " " << value;
  std::cout << "\n";
}
