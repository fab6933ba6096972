struct P { width: u32, limit: f32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@group(0) @binding(2) var<uniform> p: P;
var<workgroup> part: array<u32, 128>;
@compute @workgroup_size(128) fn main(@builtin(workgroup_id) g: vec3<u32>, @builtin(local_invocation_index) l: u32) {
  let base = g.x * p.width;
  var at = p.width;
  for (var i = l; i < p.width; i += 128u) {
    if (x[base + i] > p.limit) { at = i; break; }
  }
  part[l] = at;
  workgroupBarrier();
  for (var k = 64u; k > 0u; k = k / 2u) { if (l < k) { part[l] = min(part[l], part[l + k]); } workgroupBarrier(); }
  if (l == 0u) { y[g.x] = part[0]; }
}
