// sizes: rows=100/1K/16K/256K width=30/64/64/64
// p: uniform rows width
// x: floats 0 1 rows*width
// y: output rows*width
// run: rows
// tolerance: 1e-4 1e-4
struct P { rows: u32, width: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
// Sums so far along columns of a matrix, one to a lane.
@compute @workgroup_size(64) fn scan_lanes(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.rows) { return; }
  var s = 0.0;
  for (var i = 0u; i < p.width; i++) {
    s += x[i * p.rows + id.x];
    y[i * p.rows + id.x] = s;
  }
}
