// sizes: rows=3/64/1K/8K width=100/1000/1000/4K
// p: uniform rows width
// x: floats -2 2 rows*width
// y: output rows*width
// groups: rows
// tolerance: 1e-4 1e-7
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
@compute @workgroup_size(256) fn softmax(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) l: u32) {
  let base = group.x * p.width;
  var m = -3.0e38;
  for (var i = l; i < p.width; i += 256u) { m = max(m, x[base + i]); }
  part[l] = m;
  workgroupBarrier();
  for (var k = 128u; k > 0u; k = k / 2u) {
    if (l < k) { part[l] = max(part[l], part[l + k]); }
    workgroupBarrier();
  }
  m = part[0];
  workgroupBarrier();
  var s = 0.0;
  for (var i = l; i < p.width; i += 256u) { s += exp(x[base + i] - m); }
  let r = 1.0 / total(l, s);
  for (var i = l; i < p.width; i += 256u) { y[base + i] = exp(x[base + i] - m) * r; }
}
