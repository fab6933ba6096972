// sizes: rows=3/64/1K/8K width=100/1000/1000/4K
// p: uniform rows width
// x: floats -2 2 rows*width
// y: output rows*width
// groups: rows
// tolerance: 1e-4 1e-5
struct P { rows: u32, width: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
var<workgroup> part: array<f32, 256>;
fn total(l: u32, v: f32) -> f32 {
  part[l] = v;
  workgroupBarrier();
  for (var k = 128u; k > 0u; k = k / 2u) {
    if (l < k) { part[l] += part[l + k]; }
    workgroupBarrier();
  }
  let t = part[0];
  workgroupBarrier();
  return t;
}
@compute @workgroup_size(256) fn rms_norm(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) l: u32) {
  let base = group.x * p.width;
  var s = 0.0;
  for (var i = l; i < p.width; i += 256u) { s += pow(x[base + i], 2.0); }
  let r = inverseSqrt(total(l, s) / f32(p.width) + 1e-5);
  for (var i = l; i < p.width; i += 256u) { y[base + i] = x[base + i] * r; }
}
