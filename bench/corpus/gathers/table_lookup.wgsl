// sizes: n=300/16K/1M/16M
// x: floats 0 1 n
// table: floats -1 1 1024
// y: output n
// run: n
// tolerance: 1e-4 1e-3
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> table: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
// A function by linear interpolation in a table.
@compute @workgroup_size(128) fn table_lookup(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= arrayLength(&y)) { return; }
  let t = x[id.x] * 1022.0;
  let k = u32(t);
  let f = t - f32(k);
  y[id.x] = table[k] * (1.0 - f) + table[k + 1u] * f;
}
