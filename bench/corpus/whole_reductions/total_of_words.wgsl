// sizes: n=5000/64K/4M/64M groups=3/16/128/1024
// p: uniform n
// x: words 0 n
// y: output 1
// groups: groups
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: atomic<u32>;
var<workgroup> part: array<u32, 256>;
@compute @workgroup_size(256)
fn total_of_words(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) l: u32, @builtin(num_workgroups) count: vec3u) {
  var s = 0u;
  for (var i = group.x * 256u + l; i < p.n; i += count.x * 256u) { s += x[i]; }
  part[l] = s;
  workgroupBarrier();
  for (var k = 128u; k > 0u; k = k / 2u) {
    if (l < k) { part[l] += part[l + k]; }
    workgroupBarrier();
  }
  if (l == 0u) { atomicAdd(&y, part[0]); }
}
