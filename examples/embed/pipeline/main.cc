// Two kernels as one piece of work: prepared once, run again and again, then resized.
#include <vyre/pipeline.h>
#include <vyre/vyre.h>

#include <array>
#include <iostream>
#include <vector>

constexpr const char* kText = R"(
@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;
@group(0) @binding(2) var<uniform> by: f32;

@compute @workgroup_size(64)
fn scale(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&dst)) { dst[id.x] = src[id.x] * by; }
}

@compute @workgroup_size(64)
fn increase(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&dst)) { dst[id.x] = src[id.x] + by; }
}
)";

vyre::Result<std::array<float, 4>> run() {
  VYRE_TRY(const auto options, vyre::SessionOptions::from_environment());
  VYRE_TRY(const auto session, vyre::Session::open("auto", options));
  VYRE_TRY(const auto wgsl, vyre::make_wgsl(kText, "pipeline.wgsl"));

  vyre::PipelineBuilder p("line");
  const vyre::Dim n = p.dim("n");
  const auto x = p.input("x", "array<f32>", {n});
  const auto scaled = p.temporary("scaled", "array<f32>", {n});
  const auto y = p.output("y", "array<f32>", {n});
  const auto two = p.uniform("two", {{"value", 2}});
  const auto one = p.uniform("one", {{"value", 1}});
  p.stage(wgsl["scale"], {{"src", x}, {"dst", scaled}, {"by", two}}, {n});
  p.stage(wgsl["increase"], {{"src", scaled}, {"dst", y}, {"by", one}}, {n});

  VYRE_TRY(auto pipeline, session.prepare(std::move(p), {{n, 1000}}));
  VYRE_CHECK(pipeline.write(x, std::vector<float>(1000, 0.5F)));
  for (int i = 0; i < 3; ++i) VYRE_CHECK(session.run(pipeline));

  VYRE_CHECK(pipeline.resize({{n, 4}}));
  VYRE_CHECK(pipeline.write(x, std::array{0.0F, 1.0F, 2.0F, 3.0F}));
  VYRE_CHECK(session.run(pipeline));
  std::array<float, 4> out{};
  VYRE_CHECK(pipeline.read(y, out));
  return out;
}

int main() {
  const auto y = run();
  if (!y) {
    std::cerr << describe(y.error()) << "\n";
    return 1;
  }
  std::cout << "vyre " << vyre::version();
  const char* separator = ": ";
  for (const float value : *y) {
    std::cout << separator << value;
    separator = " ";
  }
  std::cout << "\n";
}
