// sizes: n=100/4K/256K/8M
// p: uniform n
// x: floats -1 1 n*4
// y: output n*4
// run: n
// tolerance: 1e-5 1e-5
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4f>;
// Vectors of four, scaled to length one.
@compute @workgroup_size(64) fn quads_scale(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  let v = x[id.x];
  y[id.x] = v / sqrt(dot(v, v) + 1e-6);
}
