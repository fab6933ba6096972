// sizes: n=1K/64K/2M/32M
// x: words 1000 n
// y: output n
// groups: n/512
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
// Sums before each element of a block of 512: up a tree and down again.
var<workgroup> part: array<u32, 512>;
@compute @workgroup_size(256) fn scan_tree(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) l: u32) {
  let base = group.x * 512u;
  part[l] = x[base + l];
  part[l + 256u] = x[base + l + 256u];
  var offset = 1u;
  for (var d = 256u; d > 0u; d = d / 2u) {
    workgroupBarrier();
    if (l < d) { part[offset * (2u * l + 2u) - 1u] += part[offset * (2u * l + 1u) - 1u]; }
    offset *= 2u;
  }
  workgroupBarrier();
  if (l == 0u) { part[511] = 0u; }
  for (var d = 1u; d < 512u; d = d * 2u) {
    offset /= 2u;
    workgroupBarrier();
    if (l < d) {
      let low = offset * (2u * l + 1u) - 1u;
      let high = offset * (2u * l + 2u) - 1u;
      let t = part[low];
      part[low] = part[high];
      part[high] += t;
    }
  }
  workgroupBarrier();
  y[base + l] = part[l];
  y[base + l + 256u] = part[l + 256u];
}
