// sizes: n=100/4K/128K/2M
// p: uniform n
// x: floats -1 1 n*8
// y: output n*8
// run: n
// tolerance: 1e-4 1e-4
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
// A cosine transform of eight values to a lane.
@compute @workgroup_size(64) fn dct_8(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  var v: array<f32, 8>;
  for (var i = 0u; i < 8u; i++) { v[i] = x[id.x * 8u + i]; }
  for (var k = 0u; k < 8u; k++) {
    var s = 0.0;
    for (var i = 0u; i < 8u; i++) { s += v[i] * cos(0.19634954 * f32((2u * i + 1u) * k)); }
    y[id.x * 8u + k] = s;
  }
}
