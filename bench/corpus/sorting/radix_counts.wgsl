// sizes: n=2K/64K/2M/32M
// x: words 0 n
// counts: output n/1024*16
// groups: n/1024
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;
// How often each of 16 digits occurs in each block of 1,024.
var<workgroup> mine: array<atomic<u32>, 16>;
@compute @workgroup_size(128) fn radix_counts(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) l: u32) {
  for (var i = l; i < 1024u; i += 128u) { atomicAdd(&mine[x[group.x * 1024u + i] >> 28u], 1u); }
  workgroupBarrier();
  if (l < 16u) { counts[group.x * 16u + l] = atomicLoad(&mine[l]); }
}
