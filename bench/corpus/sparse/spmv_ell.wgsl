// sizes: rows=100/2K/64K/1M each=4/8/16/32
// p: uniform rows each
// columns: words rows rows*each
// values: floats -1 1 rows*each
// x: floats -1 1 rows
// y: output rows
// run: rows
// tolerance: 1e-4 1e-4
struct P { rows: u32, each: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> columns: array<u32>;
@group(0) @binding(2) var<storage, read> values: array<f32>;
@group(0) @binding(3) var<storage, read> x: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;
// Rows of equal length, stored column by column.
@compute @workgroup_size(128) fn spmv_ell(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.rows) { return; }
  var s = 0.0;
  for (var k = 0u; k < p.each; k++) {
    let at = k * p.rows + id.x;
    s += values[at] * x[columns[at]];
  }
  y[id.x] = s;
}
