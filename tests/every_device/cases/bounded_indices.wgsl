// elements: 300
// Indices that are clamped, masked or remainders: inside whatever the invocation, or not, and with
// bounds of zero and below.
@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

// 20 x 15 elements fit; 20 x 16, which some of these ask for, do not.
fn window(x: u32, y: u32, width: u32, height: u32) -> u32 {
  var sum = 0u;
  for (var dy = -2; dy <= 2; dy++) {
    for (var dx = -2; dx <= 2; dx++) {
      let cx = u32(clamp(i32(x) + dx, 0, i32(width) - 1));
      let cy = u32(clamp(i32(y) + dy, 0, i32(height) - 1));
      sum = sum * 31u + values[cy * width + cx];
    }
  }
  return sum;
}

@compute @workgroup_size(8, 4)
fn windows(@builtin(global_invocation_id) id: vec3<u32>) {
  let width = 20u + (values[0] & 0u);
  let height = 15u + (values[1] & 0u);
  if (id.x >= width || id.y >= height) { return; }
  sums[id.y * width + id.x] = window(id.x, id.y, width, height);
}

@compute @workgroup_size(8, 4)
fn windows_behind_the_end(@builtin(global_invocation_id) id: vec3<u32>) {
  let width = 20u + (values[0] & 0u);
  let height = 16u + (values[1] & 0u);
  if (id.x >= width || id.y >= height) { return; }
  sums[id.y * width + id.x] = window(id.x, id.y, width, height);
}

// The clamp's upper bound is -1, and a remainder by 0 is 0.
@compute @workgroup_size(32)
fn nothing_to_clamp_to(@builtin(global_invocation_id) id: vec3<u32>) {
  let none = values[2] & 0u;
  let i = id.x;
  let below = clamp(i32(i) - 4, 0, i32(none) - 1);
  let rest = (i + 5u) % none;
  sums[i] = values[below] * 7u + values[u32(below)] * 5u + values[rest] * 3u + values[i & none];
}

@compute @workgroup_size(32)
fn masked(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  let n = 200u + (values[3] & 63u);
  let mask = 127u + (values[4] & 0u);
  var sum = values[(i * 37u + 11u) % n];
  sum = sum * 31u + values[(i ^ 85u) & mask];
  sum = sum * 29u + values[min(i * 3u, n - 1u)];
  sum = sum * 23u + values[((i * 5u) & mask) * 2u + i % 3u];
  sum = sum * 19u + values[((i * 5u) & mask) * 3u + 1u];
  sum = sum * 17u + values[max(min(i32(i) * 9 - 100, i32(n) - 1), 0)];
  sum = sum * 13u + values[min(max(i32(i) * 9 - 100, 0), i32(n) - 1)];
  sum = sum * 11u + values[(i % n) / 3u + ((i * 7u) >> 27u)];
  sums[i] = sum;
}

// Products that wrap in 32 bits, where the bounds do not say that an index is inside.
@compute @workgroup_size(32)
fn wraps(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  let far = 0x10000001u + (values[5] & 0u);
  let rows = 16u + (values[6] & 0u);
  var sum = 0u;
  for (var k = 0u; k < 6u; k++) {
    sum = sum * 31u + values[((i + k) % rows) * far + (i & 15u)];
  }
  sums[i] = sum;
}
