// sizes: rows=100/2K/64K/1M each=4/8/16/32
// p: uniform rows
// starts: starts rows each
// columns: words rows rows*each
// values: floats -1 1 rows*each
// x: floats -1 1 rows
// y: output rows
// run: rows
// tolerance: 1e-4 1e-4
struct P { rows: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> columns: array<u32>;
@group(0) @binding(3) var<storage, read> values: array<f32>;
@group(0) @binding(4) var<storage, read> x: array<f32>;
@group(0) @binding(5) var<storage, read_write> y: array<f32>;
// A row of a CSR matrix to a lane.
@compute @workgroup_size(64) fn spmv_rows(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.rows) { return; }
  var s = 0.0;
  for (var k = starts[id.x]; k < starts[id.x + 1u]; k++) { s += values[k] * x[columns[k]]; }
  y[id.x] = s;
}
