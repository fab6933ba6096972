struct P { width: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> p: P;
var<workgroup> part: array<f32, 256>;
@compute @workgroup_size(256) fn main(@builtin(workgroup_id) g: vec3<u32>, @builtin(local_invocation_index) l: u32) {
  let base = g.x * p.width;
  var m = -3.0e38;
  for (var i = l; i < p.width; i += 256u) { m = max(m, x[base + i]); }
  part[l] = m;
  workgroupBarrier();
  for (var k = 128u; k > 0u; k = k / 2u) { if (l < k) { part[l] = max(part[l], part[l + k]); } workgroupBarrier(); }
  m = part[0];
  workgroupBarrier();
  var s = 0.0;
  for (var i = l; i < p.width; i += 256u) { s = s + exp(x[base + i] - m); }
  part[l] = s;
  workgroupBarrier();
  for (var k = 128u; k > 0u; k = k / 2u) { if (l < k) { part[l] = part[l] + part[l + k]; } workgroupBarrier(); }
  let r = 1.0 / part[0];
  for (var i = l; i < p.width; i += 256u) { y[base + i] = exp(x[base + i] - m) * r; }
}
