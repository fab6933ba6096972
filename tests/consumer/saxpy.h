// A kernel and its data, for programs outside the tree.
#pragma once

#include <vyre/vyre.h>

#include <array>
#include <iostream>
#include <span>

inline constexpr const char* kSaxpy = R"(
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

struct Saxpy {
  float a = 2;
  std::array<float, 4> x{0, 1, 2, 3};
  std::array<float, 4> y{1, 1, 1, 1};

  std::span<std::byte> a_bytes() { return std::as_writable_bytes(std::span(&a, 1)); }
  std::span<std::byte> x_bytes() { return std::as_writable_bytes(std::span(x)); }
  std::span<std::byte> y_bytes() { return std::as_writable_bytes(std::span(y)); }

  static vyre::Result<vyre::Kernel> kernel() {
    const vyre::ParsedModule parsed = vyre::parse_wgsl(kSaxpy, "saxpy.wgsl");
    if (!parsed.module) return vyre::fail(vyre::Code::invalid_input, parsed.message());
    return vyre::make_kernel(parsed.module->programs.front());
  }

  // What the test compares: "vyre 0.1.0: 1 3 5 7", or the error.
  template <class T>
  int report(const vyre::Result<T>& outcome) const {
    std::cout << "vyre " << vyre::version() << ":";
    if (outcome) {
      for (const float value : y) std::cout << " " << value;
    } else {
      std::cout << " " << vyre::describe(outcome.error());
    }
    std::cout << "\n";
    return outcome ? 0 : 1;
  }
};
