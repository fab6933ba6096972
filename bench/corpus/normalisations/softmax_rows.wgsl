// sizes: rows=100/1K/32K/1M width=10/10/10/16
// p: uniform rows width
// x: floats -2 2 rows*width
// y: output rows*width
// run: rows
// tolerance: 1e-4 1e-6
struct P { rows: u32, width: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
// Short rows, one to a lane.
@compute @workgroup_size(128) fn softmax_rows(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.rows) { return; }
  let base = id.x * p.width;
  var m = x[base];
  for (var i = 1u; i < p.width; i++) { m = max(m, x[base + i]); }
  var s = 0.0;
  for (var i = 0u; i < p.width; i++) { s += exp(x[base + i] - m); }
  for (var i = 0u; i < p.width; i++) { y[base + i] = exp(x[base + i] - m) / s; }
}
