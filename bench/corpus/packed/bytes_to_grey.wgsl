// sizes: n=300/16K/1M/32M
// p: uniform n
// x: words 0 n
// y: output n
// run: n
// tolerance: 1e-5 1e-5
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(256) fn bytes_to_grey(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  let c = unpack4x8unorm(x[id.x]);
  y[id.x] = dot(c.rgb, vec3f(0.2126, 0.7152, 0.0722));
}
