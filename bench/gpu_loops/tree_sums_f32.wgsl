@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
var<workgroup> part: array<f32, 256>;
fn total(v: f32, l: u32) -> f32 {
  part[l] = v;
  workgroupBarrier();
  for (var k = 16u; k > 0u; k = k / 2u) { if ((l & 31u) < k) { part[l] = part[l] + part[l + k]; } workgroupBarrier(); }
  let s = part[l & ~31u];
  workgroupBarrier();
  return s;
}
@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
  var v = x[id.x];
  for (var k = 0u; k < 16u; k++) { v = v * 0.5 + total(v, l) * 0.03125; }
  y[id.x] = v;
}
