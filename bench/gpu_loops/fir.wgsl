struct P { n: u32, taps: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> h: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> p: P;
@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) g: vec3<u32>) {
  if (g.x >= p.n) { return; }
  var s = 0.0;
  for (var t = 0u; t < p.taps; t += 2u) { s = s + x[g.x + t] * h[t] + x[g.x + t + 1u] * h[t + 1u]; }
  y[g.x] = s;
}
