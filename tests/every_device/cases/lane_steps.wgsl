// elements: 700
// Loops whose variable all lanes step together, though they leave at different times.
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@group(0) @binding(2) var<uniform> n: u32;
var<workgroup> sums: array<u32, 64>;

// The common loop of cooperative kernels, twice, and a tree between.
@compute @workgroup_size(64)
fn strided(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let base = group.x * 64u;
  var sum = 0u;
  for (var i = lane; i < n; i += 64u) { sum = sum * 3u + x[base + i]; }
  sums[lane] = sum;
  workgroupBarrier();
  for (var k = 32u; k > 0u; k = k / 2u) {
    if (lane < k) { sums[lane] += sums[lane + k]; }
    workgroupBarrier();
  }
  for (var i = lane; i < 64u; i += 64u) { y[base + i] = y[base + i] * 5u + sums[0] + sums[i]; }
}

// Steps that lanes skip, leave before, or take twice; steps in the body; backwards; by two.
@compute @workgroup_size(64)
fn jumps(@builtin(global_invocation_id) id: vec3<u32>) {
  var sum = 0u;
  for (var i = id.x; i < n; i += 61u) {
    if (x[i] % 3u == 0u) { continue; }
    if (x[i] % 17u == 5u) { break; }
    sum += x[i] ^ i;
  }
  var j = i32(id.x);
  while (j >= 0) {
    if (j % 7 == 3) { j -= 2; continue; }
    sum = sum * 5u + x[u32(j)];
    j -= 40;
  }
  var k = id.x * 2u;
  loop {
    if (k > 900u) { break; }
    sum += x[k];
    k += 3u;
    if (sum % 11u == 0u) { sum ^= k; }
    k += 97u;
  }
  for (var m = 0u; m < x[id.x] % 6u; m++) { sum = sum * 7u + x[m] + x[id.x + m]; }
  y[id.x] = sum;
}

// Variables that are looked at behind their loop, or that begin differently in each lane.
@compute @workgroup_size(64)
fn looked_at_later(@builtin(global_invocation_id) id: vec3<u32>) {
  var i = id.x;
  for (; i < n; i += 50u) {
    if (x[i] % 4u == 1u) { break; }
  }
  var sum = i;
  for (var j = x[id.x] % 30u; j < 300u; j += 31u) { sum += x[j]; }
  for (var outer = 0u; outer < 1u + id.x % 3u; outer++) {
    for (var j = id.x + outer; j < 700u; j += 101u) { sum = sum * 3u + x[j]; }
    if (sum % 5u == 2u) { y[id.x] = sum; return; }
  }
  y[id.x] = sum ^ x[min(i, 699u)];
}

// Indices that wrap between lanes, and in the middle of the loop.
@compute @workgroup_size(64)
fn wraps(@builtin(global_invocation_id) id: vec3<u32>) {
  var sum = 0u;
  var rounds = 0u;
  for (var i = id.x + 4294967290u; rounds < 5u + id.x % 2u; i += 4294967200u) {
    sum = sum * 3u + x[i];
    rounds++;
  }
  for (var i = id.x; i < 4000000000u; i += 1000000000u) { sum += x[i] + (i >> 5u); }
  y[id.x] = sum;
}
