// sizes: rows=3/64/1K/8K width=100/1000/1000/4K
// p: uniform rows width
// x: floats -1 1 rows*width
// y: output rows
// groups: rows
// tolerance: 1e-5 1e-3
struct P { rows: u32, width: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
var<workgroup> part: array<f32, 256>;
@compute @workgroup_size(256) fn row_sums(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) l: u32) {
  let base = group.x * p.width;
  var s = 0.0;
  for (var i = l; i < p.width; i += 256u) { s += x[base + i]; }
  part[l] = s;
  workgroupBarrier();
  for (var k = 128u; k > 0u; k = k / 2u) {
    if (l < k) { part[l] += part[l + k]; }
    workgroupBarrier();
  }
  if (l == 0u) { y[group.x] = part[0]; }
}
