// Sums over rows of different lengths, of elements that are looked up and sometimes outside.
@group(0) @binding(0) var<storage, read> starts: array<u32>;
@group(0) @binding(1) var<storage, read> columns: array<u32>;
@group(0) @binding(2) var<storage, read> values: array<f32>;
@group(0) @binding(3) var<storage, read> x: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;
fn first(row: u32) -> u32 { return starts[row]; }
fn end(row: u32) -> u32 { return starts[row] + starts[row + 1] % 37u; }

@compute @workgroup_size(64) fn one(@builtin(global_invocation_id) g: vec3u) {
  if (g.x >= arrayLength(&y)) { return; }
  var sum = 0.0;
  let last = end(g.x);
  for (var k = first(g.x); k < last; k++) { sum += values[k] * x[columns[k]]; }
  y[g.x] = sum;
}

// One element in six is outside.
@compute @workgroup_size(64) fn often(@builtin(global_invocation_id) g: vec3u) {
  var sum = -0.0;
  let last = end(g.x);
  for (var k = first(g.x); k < last; k++) {
    let at = columns[k] * 6u / 5u;
    sum = fma(values[k], x[at], sum) - x[columns[k]];
  }
  y[g.x] = sum;
}

// Running a round again would show.
@compute @workgroup_size(64) fn counted(@builtin(global_invocation_id) g: vec3u) {
  var sum = 0.0;
  let last = end(g.x);
  for (var k = first(g.x); k < last; k++) {
    y[g.x] += 1.0;
    sum += x[columns[k] * 6u / 5u];
  }
  y[g.x] += sum;
}

// The last element that is looked up says where to look next.
@compute @workgroup_size(64) fn chased(@builtin(global_invocation_id) g: vec3u) {
  var sum = 0.0;
  var at = g.x;
  let last = end(g.x);
  for (var k = first(g.x); k < last; k++) {
    at = columns[at];
    sum = sum * 0.5 + values[k] * x[at];
  }
  y[g.x] = sum + f32(at);
}
