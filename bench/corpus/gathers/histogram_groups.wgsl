// sizes: n=8K/64K/4M/32M
// p: uniform n
// x: words 0 n
// bins: output 64
// groups: n/4096
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> bins: array<atomic<u32>>;
var<workgroup> mine: array<atomic<u32>, 64>;
@compute @workgroup_size(256) fn histogram_groups(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) l: u32) {
  let end = min(p.n, (group.x + 1u) * 4096u);
  for (var i = group.x * 4096u + l; i < end; i += 256u) { atomicAdd(&mine[x[i] & 63u], 1u); }
  workgroupBarrier();
  if (l < 64u) { atomicAdd(&bins[l], atomicLoad(&mine[l])); }
}
