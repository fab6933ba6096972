// sizes: rows=65/256/2K/8K width=100/512/1K/4K
// p: uniform rows width
// a: floats -1 1 rows*width
// v: floats -1 1 width
// y: output rows
// groups: rows
// tolerance: 1e-4 1e-3
struct P { rows: u32, width: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
// A row to a workgroup.
var<workgroup> part: array<f32, 128>;
@compute @workgroup_size(128) fn matvec_group(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) l: u32) {
  let base = group.x * p.width;
  var s = 0.0;
  for (var i = l; i < p.width; i += 128u) { s += a[base + i] * v[i]; }
  part[l] = s;
  workgroupBarrier();
  for (var k = 64u; k > 0u; k = k / 2u) {
    if (l < k) { part[l] += part[l + k]; }
    workgroupBarrier();
  }
  if (l == 0u) { y[group.x] = part[0]; }
}
