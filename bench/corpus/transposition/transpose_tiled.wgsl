// sizes: width=64/256/2K/8K height=32/128/1K/4K
// p: uniform width height
// x: floats -1 1 width*height
// y: output width*height
// groups: width/16 height/16
struct P { width: u32, height: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
var<workgroup> tile: array<array<f32, 17>, 16>;
@compute @workgroup_size(16, 16)
fn transpose_tiled(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) l: vec3u) {
  tile[l.y][l.x] = x[(group.y * 16u + l.y) * p.width + group.x * 16u + l.x];
  workgroupBarrier();
  y[(group.x * 16u + l.y) * p.height + group.y * 16u + l.x] = tile[l.x][l.y];
}
