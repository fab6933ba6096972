// elements: 1000
// Atomic operations whose results nothing uses, which may be made on copies of small buffers, and
// operations of all lanes at one place, of which some use the results.
@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>, 64>;
@group(0) @binding(2) var<storage, read_write> numbers: array<atomic<i32>, 40>;
@group(0) @binding(3) var<storage, read_write> others: array<u32>;
var<workgroup> mine: array<atomic<u32>, 65>;

@compute @workgroup_size(64) fn added(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x + id.y * 7u + id.z * 11u;
  atomicAdd(&counts[values[i] & 63u], values[i]);
  atomicSub(&numbers[values[i] % 47u], i32(i));
}
@compute @workgroup_size(64) fn largest(@builtin(global_invocation_id) id: vec3<u32>) {
  atomicMax(&counts[id.x % 67u], values[id.x] * 7919u);
  atomicMin(&numbers[id.x % 40u], i32(values[id.x]) - 500);
}
@compute @workgroup_size(64) fn least(@builtin(global_invocation_id) id: vec3<u32>) {
  atomicMin(&counts[id.x % 60u], values[id.x]);
  atomicMax(&numbers[values[id.x] & 31u], -i32(id.x));
}
@compute @workgroup_size(64) fn bits(@builtin(global_invocation_id) id: vec3<u32>) {
  atomicOr(&counts[id.x & 63u], 1u << (values[id.x] & 31u));
  atomicAnd(&numbers[id.x % 40u], i32(values[id.x] | 0xFFFF0000u));
}
@compute @workgroup_size(64) fn flipped(@builtin(global_invocation_id) id: vec3<u32>) {
  atomicXor(&counts[values[id.x] & 63u], values[id.x]);
}
// Not copied: what it adds to depends on what it finds.
@compute @workgroup_size(64) fn looked_at(@builtin(global_invocation_id) id: vec3<u32>) {
  atomicAdd(&counts[0], 1u);
  if (atomicLoad(&counts[1]) == 12345u) { atomicAdd(&counts[2], 1u); }
}
@compute @workgroup_size(64) fn two_kinds(@builtin(global_invocation_id) id: vec3<u32>) {
  atomicAdd(&counts[values[id.x] & 31u], 2u);
  atomicOr(&counts[32u + (values[id.x] & 31u)], 1u << (id.x & 31u));
}
@compute @workgroup_size(64) fn one_place(@builtin(global_invocation_id) id: vec3<u32>) {
  if ((values[id.x] & 1u) != 0u) { atomicAdd(&counts[5], values[id.x]); }
  if ((values[id.x] & 2u) != 0u) { atomicMax(&numbers[3], i32(values[id.x])); }
}
@compute @workgroup_size(64)
fn in_groups(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
  atomicAdd(&mine[values[id.x] & 63u], 1u);
  atomicMax(&mine[64], values[id.x]);
  workgroupBarrier();
  atomicAdd(&counts[l], atomicLoad(&mine[l]) + atomicLoad(&mine[64]));
}
// The numbers that lanes find are all different, in whatever order.
@compute @workgroup_size(64)
fn places(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
  var at = 7u;
  if ((values[id.x] & 3u) != 0u) { at = atomicAdd(&mine[0], 1u); }
  let left = atomicSub(&mine[1], 1u);
  atomicAdd(&mine[3], at);
  atomicXor(&mine[2], left);
  workgroupBarrier();
  if (l == 0u) {
    others[id.x] = atomicLoad(&mine[0]) + 3u * atomicLoad(&mine[1]) + 5u * atomicLoad(&mine[2]) +
        7u * atomicLoad(&mine[3]);
  }
}
