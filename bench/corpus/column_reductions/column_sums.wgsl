// sizes: rows=50/256/1K/8K width=70/256/1K/4K
// p: uniform rows width
// x: floats -1 1 rows*width
// y: output width
// run: width
// tolerance: 1e-4 1e-3
struct P { rows: u32, width: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn column_sums(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.width) { return; }
  var s = 0.0;
  for (var r = 0u; r < p.rows; r++) { s += x[r * p.width + id.x]; }
  y[id.x] = s;
}
