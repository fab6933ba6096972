// sizes: width=33/256/2K/8K height=17/128/1K/4K
// p: uniform width height
// x: words 0 width*height
// y: output width*height
// run: height width
struct P { width: u32, height: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
// By a quarter turn: rows become columns, from the last to the first.
@compute @workgroup_size(8, 8) fn rotate_image(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.height || id.y >= p.width) { return; }
  y[id.y * p.height + id.x] = x[(p.height - 1u - id.x) * p.width + id.y];
}
