// sizes: n=300/16K/512K/8M taps=8/32/32/64
// p: uniform n taps
// x: floats -1 1 n+taps
// h: floats -1 1 taps
// y: output n
// run: n
// tolerance: 1e-4 1e-4
struct P { n: u32, taps: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> h: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(256) fn filter_1d(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  var s = 0.0;
  for (var t = 0u; t < p.taps; t++) { s += x[id.x + t] * h[t]; }
  y[id.x] = s;
}
