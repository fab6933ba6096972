// elements: 1000
// Loops that lanes leave one after the other, and in most rounds of which all of them go on.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> n: u32;  // 997
var<workgroup> part: array<f32, 64>;

@compute @workgroup_size(64) fn sums(@builtin(workgroup_id) wg: vec3<u32>,
                                     @builtin(local_invocation_index) l: u32) {
  var s = 0.0;
  for (var i = l; i < n; i += 64u) { s = s * 0.5 + x[i] * x[(i + wg.x) % n]; }
  for (var i = l + wg.x; i <= n - 3u; i += 64u) { s = s * 0.5 + x[i]; }
  for (var i = i32(l) - 20; i < i32(n); i += 48) { s = s + x[u32(max(i, 0))]; }
  for (var i = l; i < 5u; i += 64u) { s = s + x[i]; }
  for (var i = l * 3u; i < n; i += 97u) { s = s * 0.5 + x[i]; }
  part[l] = s;
  workgroupBarrier();
  for (var k = 32u; k > 0u; k /= 2u) {
    if (l < k) { part[l] = part[l] + part[l + k]; }
    workgroupBarrier();
  }
  for (var i = l; i < 63u; i += 64u) { y[wg.x * 64u + i] = part[0] * x[i] + part[i]; }
}

// The step or the bound is near the end of all numbers.
@compute @workgroup_size(64) fn wraps(@builtin(global_invocation_id) g: vec3<u32>) {
  var s = 0.0;
  var rounds = 0u;
  for (var i = g.x + 4294965000u; i < 4294966700u; i += 500u) { s = s + x[i % n]; rounds += 1u; }
  // Some lanes begin behind the bound, and lanes after them at 0.
  let l = g.x & 63u;
  for (var i = l + 4294967270u; i < 2147483700u; i += 2147483748u) { s = s + x[i]; rounds += 7u; }
  for (var i = g.x; i < 4294967290u; i += 1431655765u) {
    s = s * 0.5 + x[i % n];
    rounds += 1u;
    if (rounds > 40u) { break; }
  }
  for (var i = i32(g.x) + 2147470000; i < 2147480000; i += 1000) { s = s - x[u32(i) % n]; }
  y[g.x] = s + f32(rounds);
}

@compute @workgroup_size(64) fn within_branches(@builtin(global_invocation_id) g: vec3<u32>,
                                               @builtin(local_invocation_index) l: u32) {
  var s = x[g.x];
  if (s > 0.0) {
    var last = 0u;
    for (var i = l; i < n; i += 128u) {
      s = s * 0.5 + x[i];
      if (x[i] > 1.0) { s = s + 1.0; last = i; }
    }
    s = s + f32(last);
  } else {
    var i = l;
    while (i < 300u) {
      let before = i;
      i = i + 64u;
      s = s * 0.5 - x[before] + x[i];
    }
    s = s + f32(i);
  }
  y[g.x] = s;
}

fn summed(start: u32, by: u32) -> f32 {
  var s = 0.0;
  for (var i = start; i < n; i += by) { s = s * 0.5 + x[i]; }
  return s;
}

@compute @workgroup_size(64) fn in_functions(@builtin(global_invocation_id) g: vec3<u32>) {
  y[g.x] = summed(g.x, n / 4u) + summed(g.x * 2u, 100u) - summed(3u, g.x + 1u);
}

// Loops around barriers: a few rounds known beforehand, and one that goes on where it stopped.
@compute @workgroup_size(64) fn trees(@builtin(workgroup_id) wg: vec3<u32>,
                                      @builtin(local_invocation_index) l: u32) {
  part[l] = x[wg.x * 64u + l];
  workgroupBarrier();
  for (var d = 1u; d < 64u; d *= 2u) {
    var sum = part[l];
    if (l >= d) { sum = sum + part[l - d]; }
    workgroupBarrier();
    part[l] = sum;
    workgroupBarrier();
  }
  var k = 32u;
  for (var r = 0u; r < 3u; r++) {
    for (; k > 2u; k = k / 2u) {
      if (l < k) { part[l] = part[l] * 0.5 + part[l + k]; }
      workgroupBarrier();
    }
  }
  for (var i = 3; i > -4; i -= 3) {
    if (i32(l) > i) { part[l] = part[l] + f32(i); }
    workgroupBarrier();
  }
  y[wg.x * 64u + l] = part[l] + part[63u - l];
}
