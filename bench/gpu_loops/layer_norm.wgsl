struct P { width: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> gamma: array<f32>;
@group(0) @binding(2) var<storage, read> beta: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<uniform> p: P;
var<workgroup> part: array<f32, 128>;
fn total(l: u32, s: f32) -> f32 {
  part[l] = s;
  workgroupBarrier();
  for (var k = 64u; k > 0u; k = k / 2u) { if (l < k) { part[l] = part[l] + part[l + k]; } workgroupBarrier(); }
  let t = part[0];
  workgroupBarrier();
  return t;
}
@compute @workgroup_size(128) fn main(@builtin(workgroup_id) g: vec3<u32>, @builtin(local_invocation_index) l: u32) {
  let base = g.x * p.width;
  var s = 0.0;
  for (var i = i32(l); i < i32(p.width); i += 128) { s = s + x[base + u32(i)]; }
  let mean = total(l, s) / f32(p.width);
  var q = 0.0;
  for (var i = l; i < p.width; i += 128u) { let d = x[base + i] - mean; q = q + d * d; }
  let r = inverseSqrt(total(l, q) / f32(p.width) + 1e-5);
  for (var i = l; i < p.width; i += 128u) { y[base + i] = (x[base + i] - mean) * r * gamma[i] + beta[i]; }
}
