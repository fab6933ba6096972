// sizes: rows=100/1K/16K/512K width=8/32/64/64
// p: uniform rows width
// x: halves -1 1 rows*width
// q: halves -1 1 width
// y: output rows
// run: rows
// tolerance: 1e-3 1e-3
enable f16;
struct P { rows: u32, width: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f16>;
@group(0) @binding(2) var<storage, read> q: array<f16>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
// Products of rows of halves with one, summed as floats.
@compute @workgroup_size(128) fn half_dots(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.rows) { return; }
  var s = 0.0;
  for (var i = 0u; i < p.width; i++) { s += f32(x[id.x * p.width + i]) * f32(q[i]); }
  y[id.x] = s;
}
