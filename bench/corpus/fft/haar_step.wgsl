// sizes: n=300/16K/1M/16M
// p: uniform n
// x: floats -1 1 n*2
// y: output n*2
// run: n
// tolerance: 1e-5 1e-6
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
// Sums of neighbours to the first half, differences to the second.
@compute @workgroup_size(256) fn haar_step(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  let a = x[2u * id.x];
  let b = x[2u * id.x + 1u];
  y[id.x] = (a + b) * 0.70710678;
  y[p.n + id.x] = (a - b) * 0.70710678;
}
