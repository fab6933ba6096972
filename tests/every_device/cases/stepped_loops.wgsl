// elements: 300
// Loops by steps, whose rounds can be counted before they begin: with bounds near 2^32, steps of 0,
// more rounds than a strip has, and variables that something else changes, too.
@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
@group(0) @binding(2) var<storage, read_write> totals: array<f32>;

@compute @workgroup_size(32)
fn around_the_end(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  let zero = values[0] & 0u;
  let most = 0xFFFFFFFFu - (values[1] & 7u);
  var sum = i;
  var rounds = 0u;
  for (var k = 0xFFFFFE00u + i; k < most; k += 100u) {
    rounds++;
    sum = sum * 31u + k;
    if (rounds == 40u) { break; }
  }
  rounds = 0u;
  for (var k = 0xFFFFFFF0u + (i & 3u); k <= 0xFFFFFFFFu - zero; k += 7u) {
    rounds++;
    sum = sum * 29u + k;
    if (rounds == 25u) { break; }
  }
  rounds = 0u;
  for (var k = i; k >= zero; k -= 5u) {
    rounds++;
    sum = sum * 23u + k;
    if (rounds == 33u) { break; }
  }
  rounds = 0u;
  for (var k = i; k < 100u; k += zero) {
    rounds++;
    sum = sum * 19u + k;
    if (rounds == 1100u) { break; }
  }
  for (var k = 400u + i; k > 17u; k -= 3u) {
    sum = sum * 17u + values[k];
  }
  sums[i] = sum;
}

@compute @workgroup_size(32)
fn with_signs(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = i32(id.x);
  let low = -2147483647 - 1 + i32(values[0] & 15u);
  let high = 2147483647 - i32(values[1] & 15u);
  var sum = id.x;
  for (var k = low; k < low + 70; k += 3) {
    sum = sum * 31u + u32(k);
  }
  var rounds = 0u;
  for (var k = high - 9; k <= high; k += 4) {
    rounds++;
    sum = sum * 29u + u32(k);
    if (rounds == 20u) { break; }
  }
  for (var k = i; k > -20; k -= 7) {
    sum = sum * 23u + u32(k);
  }
  for (var k = i - 150; 3 >= k; k += 2) {
    sum = sum * 19u + u32(k) + values[k];
  }
  for (var dy = -2; dy <= 2; dy++) {
    for (var dx = -2; dx <= 2; dx++) {
      sum = sum * 5u + values[clamp(i + dx, 0, 20) + 20 * clamp(dy, -1, 1)];
    }
  }
  sums[id.x] = sum;
}

fn add_one(at: ptr<function, u32>) {
  *at += 1u;
}

@compute @workgroup_size(32)
fn changed_elsewhere(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  var sum = i;
  var end = 10u + i % 5u;
  let end_at = &end;
  for (var k = 0u; k < end; k += 2u) {
    if (k == 4u) { *end_at = 20u; }
    sum = sum * 31u + k;
  }
  var limit = 12u;
  for (var k = 0u; k < limit; k += 3u) {
    if (k < 9u) { add_one(&limit); }
    sum = sum * 29u + k;
  }
  var c = 0u;
  let c_at = &c;
  while (c < 50u) {
    *c_at = *c_at + i % 3u;
    c += 2u;
    sum = sum * 23u + c;
  }
  var d = i;
  while (d < 200u) {
    let by = 1u + values[d] % 5u;
    sum = sum * 19u + d;
    d += by;
  }
  var e = 0u;
  loop {
    if (!(e < 90u)) { break; }
    if (e % 4u == 1u) { continue; }
    sum = sum * 17u + e;
    continuing {
      e += 3u;
      break if sum % 16u == 5u;
    }
  }
  sums[i] = sum;
}

@compute @workgroup_size(8)
fn many_rounds(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  if (i >= 12u) { return; }
  var sum = i;
  for (var k = i; k < 5000u; k += 2u) {
    sum = sum * 31u + values[k % 300u] + k;
    if (sum == 77u) { break; }
  }
  for (var k = i; k < 4000u; k += 37u) {
    for (var m = k; m < k + 20u; m += 3u) {
      sum = sum * 29u + m;
    }
  }
  sums[i] = sum;
}

var<workgroup> part: array<f32, 64>;

// Rows of a width that is no multiple of the workgroup; the last ones lie behind the array.
@compute @workgroup_size(64)
fn rows(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let width = 41u + values[2] % 90u;
  let base = group.x * width;
  var sum = 0.0;
  for (var k = lane; k < width; k += 64u) {
    sum += f32(values[base + k] % 1024u);
  }
  part[lane] = sum;
  workgroupBarrier();
  for (var half = 32u; half > 0u; half /= 2u) {
    if (lane < half) { part[lane] += part[lane + half]; }
    workgroupBarrier();
  }
  for (var k = lane; k < width; k += 64u) {
    totals[base + k] = part[0] + f32(values[base + k] % 1024u);
  }
}
