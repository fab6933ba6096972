// size: 196
// Indices that take steps of several elements and wrap around by a mask.
@group(0) @binding(0) var<storage> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
var<workgroup> part: array<u32, 64>;

@compute @workgroup_size(28)
fn shared_words(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32) {
  part[l] = x[id.x];
  part[l + 32] = x[id.x + 7];
  workgroupBarrier();
  y[id.x] = part[(l * 7) & 63] ^ (part[(l * 3) & 31] << 8) ^ (part[(l * 5) & 63] << 16);
}

@compute @workgroup_size(28)
fn stored_words(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  y[i] = x[(i * 7) & 255] ^ (x[(i * 3) & 511] << 7);
}
