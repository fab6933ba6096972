struct P { width: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> p: P;
var<workgroup> part: array<f32, 256>;
@compute @workgroup_size(256) fn main(@builtin(workgroup_id) g: vec3<u32>, @builtin(local_invocation_index) l: u32) {
  let base = g.x * p.width;
  var s = 0.0;
  for (var i = l; i < p.width; i += 256u) { let v = x[base + i]; s = s + v * v; }
  part[l] = s;
  workgroupBarrier();
  for (var k = 128u; k > 0u; k = k / 2u) { if (l < k) { part[l] = part[l] + part[l + k]; } workgroupBarrier(); }
  let r = inverseSqrt(part[0] / f32(p.width) + 1e-5);
  for (var i = l; i < p.width; i += 256u) { y[base + i] = x[base + i] * r; }
}
