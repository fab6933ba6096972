@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
var<workgroup> part: array<u32, 256>;
fn total(v: u32, l: u32) -> u32 {
  part[l] = v;
  workgroupBarrier();
  for (var k = 16u; k > 0u; k = k / 2u) { if ((l & 31u) < k) { part[l] = part[l] + part[l + k]; } workgroupBarrier(); }
  let s = part[l & ~31u];
  workgroupBarrier();
  return s;
}
@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
  var v = x[id.x];
  for (var k = 0u; k < 16u; k++) { v = (v >> 1u) + total(v, l); }
  y[id.x] = v;
}
