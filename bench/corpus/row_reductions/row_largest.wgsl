// sizes: rows=3/64/1K/8K width=100/1000/1000/4K
// p: uniform rows width
// x: floats -1 1 rows*width
// y: output rows
// groups: rows
struct P { rows: u32, width: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
// The index of the first largest element of each row.
var<workgroup> value: array<f32, 128>;
var<workgroup> place: array<u32, 128>;
@compute @workgroup_size(128) fn row_largest(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) l: u32) {
  let base = group.x * p.width;
  var best = -3.0e38;
  var at = 0u;
  for (var i = l; i < p.width; i += 128u) {
    let v = x[base + i];
    if (v > best) { best = v; at = i; }
  }
  value[l] = best;
  place[l] = at;
  workgroupBarrier();
  for (var k = 64u; k > 0u; k = k / 2u) {
    if (l < k) {
      let v = value[l + k];
      if (v > value[l] || (v == value[l] && place[l + k] < place[l])) {
        value[l] = v;
        place[l] = place[l + k];
      }
    }
    workgroupBarrier();
  }
  if (l == 0u) { y[group.x] = place[0]; }
}
