@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> h: array<atomic<u32>, 64>;
var<workgroup> local: array<atomic<u32>, 64>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u, @builtin(local_invocation_index) l: u32) {
 atomicAdd(&local[x[g.x] % 64u], 1u); workgroupBarrier(); atomicAdd(&h[l], atomicLoad(&local[l])); }
@compute @workgroup_size(32) fn direct(@builtin(global_invocation_id) g: vec3u) { if (x[g.x] > 5u) { atomicMax(&h[(x[g.x] & 31u) + 32u], g.x); atomicAdd(&h[3], 1u);} }
