// sizes: width=33/128/1K/4K height=17/128/512/2K
// p: uniform width height
// h: floats 1 2 width*height
// u: floats -0.1 0.1 width*height
// v: floats -0.1 0.1 width*height
// h2: output width*height
// u2: output width*height
// v2: output width*height
// run: width height
// tolerance: 1e-5 1e-5
struct P { width: u32, height: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> h: array<f32>;
@group(0) @binding(2) var<storage, read> u: array<f32>;
@group(0) @binding(3) var<storage, read> v: array<f32>;
@group(0) @binding(4) var<storage, read_write> h2: array<f32>;
@group(0) @binding(5) var<storage, read_write> u2: array<f32>;
@group(0) @binding(6) var<storage, read_write> v2: array<f32>;
// Three fields, whose borders stay zero.
@compute @workgroup_size(32, 8) fn shallow_water(@builtin(global_invocation_id) id: vec3u) {
  if (id.x == 0u || id.y == 0u || id.x + 1u >= p.width || id.y + 1u >= p.height) { return; }
  let i = id.y * p.width + id.x;
  let e = i + 1u;
  let w = i - 1u;
  let n = i - p.width;
  let s = i + p.width;
  h2[i] = h[i] - 0.05 * (h[e] * u[e] - h[w] * u[w] + h[s] * v[s] - h[n] * v[n]);
  u2[i] = u[i] - 0.05 * (u[i] * (u[e] - u[w]) + v[i] * (u[s] - u[n]) + 9.81 * (h[e] - h[w]));
  v2[i] = v[i] - 0.05 * (u[i] * (v[e] - v[w]) + v[i] * (v[s] - v[n]) + 9.81 * (h[s] - h[n]));
}
