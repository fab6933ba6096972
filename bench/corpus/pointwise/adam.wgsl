// sizes: n=300/16K/512K/16M
// p: uniform n 0.01 0.9 0.999
// g: floats -1 1 n
// w: output floats -1 1 n
// m: output floats -0.1 0.1 n
// v: output floats 0 0.1 n
// run: n
// tolerance: 1e-5 1e-5
struct P { n: u32, rate: f32, b1: f32, b2: f32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> g: array<f32>;
@group(0) @binding(2) var<storage, read_write> w: array<f32>;
@group(0) @binding(3) var<storage, read_write> m: array<f32>;
@group(0) @binding(4) var<storage, read_write> v: array<f32>;
@compute @workgroup_size(256) fn adam(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= p.n) { return; }
  let d = g[i];
  let m1 = p.b1 * m[i] + (1.0 - p.b1) * d;
  let v1 = p.b2 * v[i] + (1.0 - p.b2) * d * d;
  m[i] = m1;
  v[i] = v1;
  w[i] = w[i] - p.rate * m1 / (sqrt(v1) + 1e-8);
}
