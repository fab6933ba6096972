// elements: 2800
// size: 70,40
// Columns of memory: rows are run in tiles, and what goes down a column moves in blocks.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> z: array<vec2<f32>>;

const width = 70u;
const height = 40u;

@compute @workgroup_size(16, 16) fn turned(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= width || id.y >= height) { return; }
  y[id.x * height + id.y] = x[id.y * width + id.x];
}
@compute @workgroup_size(8, 8) fn from_columns(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= height || id.y >= width) { return; }
  y[id.y * height + id.x] = x[(height - 1u - id.x) * width + id.y];
}
@compute @workgroup_size(32, 4) fn in_pairs(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= width || id.y >= height) { return; }
  z[id.x * height + id.y] = vec2<f32>(x[id.y * width + id.x], f32(id.y));
}
// Some lanes of a block store nothing, and some columns end in the middle of a tile.
@compute @workgroup_size(16, 8) fn with_holes(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= width || id.y >= height || (id.x * 7u + id.y) % 11u == 3u) { return; }
  y[id.x * height + id.y] = x[id.y * width + id.x];
}
@compute @workgroup_size(16, 16) fn both_ways(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= height || id.y >= height) { return; }
  y[id.x * height + id.y] = x[id.x * width + id.y] + x[id.y * width + id.x];
}
