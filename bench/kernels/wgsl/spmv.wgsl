// y = A*x with A in compressed rows, a row for each invocation.
@group(0) @binding(0) var<storage, read> starts: array<u32>;  // one more than there are rows
@group(0) @binding(1) var<storage, read> columns: array<u32>;
@group(0) @binding(2) var<storage, read> values: array<f32>;
@group(0) @binding(3) var<storage, read> x: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn spmv(@builtin(global_invocation_id) id: vec3<u32>) {
  let row = id.x;
  if (row >= arrayLength(&y)) {
    return;
  }
  var sum = 0.0;
  let end = starts[row + 1];
  for (var k = starts[row]; k < end; k++) {
    sum += values[k] * x[columns[k]];
  }
  y[row] = sum;
}
