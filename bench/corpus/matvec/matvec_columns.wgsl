// sizes: rows=65/256/2K/8K width=100/512/1K/4K
// p: uniform rows width
// a: floats -1 1 rows*width
// v: floats -1 1 rows
// y: output width
// run: width
// tolerance: 1e-4 1e-3
struct P { rows: u32, width: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
// The transposed matrix: a column to a lane.
@compute @workgroup_size(64) fn matvec_columns(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.width) { return; }
  var s = 0.0;
  for (var r = 0u; r < p.rows; r++) { s += a[r * p.width + id.x] * v[r]; }
  y[id.x] = s;
}
