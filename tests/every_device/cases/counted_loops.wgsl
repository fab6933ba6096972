// elements: 300
// Loops whose checks are decided before them, with indices that stay inside, leave in the middle,
// and wrap.
@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read> floats: array<f32>;
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;
@group(0) @binding(3) var<storage, read_write> totals: array<f32>;

// Half of the rows end behind the array.
@compute @workgroup_size(64)
fn rows(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  if (i >= arrayLength(&sums)) {
    return;
  }
  var sum = 0u;
  let end = i * 2 + values[i] % 40;
  for (var k = i * 2; k < end; k++) {
    sum = sum * 31 + values[k] + values[values[k]];
  }
  sums[i] = sum;
}

// A matrix with a width that the array does not hold to the end.
@compute @workgroup_size(8, 4)
fn columns(@builtin(global_invocation_id) id: vec3<u32>) {
  let width = 19 + (values[0] & 1);
  if (id.x >= width) {
    return;
  }
  var sum = 0.0;
  for (var k = 0u; k < 20; k++) {
    sum += floats[k * width + id.x] * floats[id.y * width + k];
  }
  totals[id.y * width + id.x] = sum;
}

// Steps of more than one, downwards, and past 2^32.
@compute @workgroup_size(32)
fn steps(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  var sum = 0u;
  for (var k = i; k < 400; k += 7) {
    sum = sum * 5 + values[k];
  }
  for (var k = i32(i) - 3; k >= -5; k--) {
    sum = sum * 3 + values[k];
  }
  var at = 0xFFFFFFF0u + (i & 3);
  for (var k = 0u; k < 30; k++) {
    sum = sum * 7 + values[at];
    at += 1;
  }
  let far = values[1] * 0x01000001u;
  for (var k = 0u; k < 12; k++) {
    sum = sum * 11 + values[k * far + i];
  }
  sums[i] = sum;
}

// The same address for all lanes, read and written behind the end.
@compute @workgroup_size(16)
fn shared_places(@builtin(global_invocation_id) id: vec3<u32>) {
  let n = arrayLength(&values) + 9;
  var sum = id.x;
  for (var k = 290u; k < n; k++) {
    sum = sum * 13 + values[k];
  }
  if (id.x < arrayLength(&sums)) {
    sums[id.x] = sum;
  }
}
