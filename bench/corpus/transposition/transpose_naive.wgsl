// sizes: width=33/256/2K/8K height=17/128/1K/4K
// p: uniform width height
// x: floats -1 1 width*height
// y: output width*height
// run: width height
struct P { width: u32, height: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(16, 16) fn transpose_naive(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.width || id.y >= p.height) { return; }
  y[id.x * p.height + id.y] = x[id.y * p.width + id.x];
}
