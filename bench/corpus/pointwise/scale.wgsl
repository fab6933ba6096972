// sizes: n=300/16K/1M/32M
// p: uniform n 1.7 0.3
// x: floats -4 4 n
// y: output n
// run: n
// tolerance: 1e-6 1e-6
struct P { n: u32, a: f32, b: f32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(256) fn scale(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i < p.n) { y[i] = p.a * x[i] + p.b; }
}
