// elements: 1000
// Indices whose lanes follow each other in most gangs, and in some do not.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> n: u32;  // 997
@group(0) @binding(3) var<storage, read> numbers: array<u32>;
@group(0) @binding(4) var<storage, read_write> pairs: array<vec2<f32>>;

@compute @workgroup_size(64) fn clamped(@builtin(global_invocation_id) g: vec3<u32>) {
  var s = 0.0;
  for (var d = -3; d <= 3; d++) {
    s = s * 0.5 + x[u32(clamp(i32(g.x) + d, 0, i32(n) - 1))];
    s = s - x[min(g.x + u32(d + 3), n - 1u)] + x[max(g.x, 5u)];
    // beyond the end of the buffer, and below its beginning
    s = s + x[u32(max(i32(g.x) + 40 * d, -7))] + x[min(g.x + 990u, 2000u)];
  }
  y[g.x] = s;
}

@compute @workgroup_size(64) fn wrapped(@builtin(global_invocation_id) g: vec3<u32>) {
  var s = 0.0;
  for (var d = 0u; d < 4u; d++) {
    s = s * 0.5 + x[(g.x + n - 1u + d) % n];
    s = s + x[(g.x * 2u + d) % n] + x[(g.x + d) % 96u] + x[g.x % (n - 997u)];
    s = s - x[u32((i32(g.x) - 100) % 77)] + x[u32((i32(g.x) + 3) % -50)];
  }
  y[g.x] = s;
}

@compute @workgroup_size(64) fn divided(@builtin(global_invocation_id) g: vec3<u32>) {
  let row = g.x / 48u;
  let column = g.x % 48u;
  var s = x[row] + x[column * 20u + row] + x[row * 48u + column];
  s = s + x[g.x / (n - 997u)] + x[(g.x * 4u) / n] + x[u32(i32(g.x) / -3 + 400)];
  s = s + x[(g.x + 4294966796u) / 4194304u] + x[(g.x + 4294966796u) % 640u];
  y[(20u - row) * 48u + column] = s;
}

@compute @workgroup_size(64) fn of_bits(@builtin(global_invocation_id) g: vec3<u32>) {
  var s = 0.0;
  for (var k = 1u; k < 1024u; k <<= 1u) {
    s = s * 0.5 + x[g.x ^ k] + x[g.x & (k - 1u)] + x[(g.x | k) & 511u] + x[g.x >> (k & 7u)];
    let low = g.x & (k - 1u);
    s = s + x[((g.x - low) << 1u) + low] - x[(g.x + 3u) ^ k];
  }
  y[g.x ^ 32u] = s;
}

@compute @workgroup_size(64) fn of_pairs(@builtin(global_invocation_id) g: vec3<u32>) {
  if (g.x >= 480u) { return; }
  let half = 32u;
  let low = g.x & (half - 1u);
  let i = ((g.x - low) << 1u) + low;
  let a = pairs[i];
  let b = pairs[i + half];
  let w = vec2<f32>(x[low], x[low + 1u]);
  let t = vec2<f32>(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
  pairs[i] = a + t;
  pairs[i + half].y = a.y - t.y;
}

@compute @workgroup_size(64) fn where_some_run(@builtin(global_invocation_id) g: vec3<u32>) {
  if (g.x >= n) { return; }
  let i = (g.x + 37u) % n;
  if (x[i] > 0.5) {
    y[(g.x + 5u) % n] = x[min(i + 1u, n - 1u)];
  } else if (g.x % 3u == 1u) {
    y[(g.x + 5u) % n] = x[i ^ 64u];
  }
}

var<workgroup> tile: array<array<f32, 20>, 20>;

@compute @workgroup_size(16, 4) fn in_tiles(@builtin(workgroup_id) wg: vec3<u32>,
                                          @builtin(local_invocation_index) l: u32) {
  for (var k = l; k < 360u; k += 64u) {
    tile[k / 18u][k % 18u] = x[u32(clamp(i32(wg.x * 64u + k) - 9, 0, i32(n) - 1))];
  }
  workgroupBarrier();
  var s = 0.0;
  for (var d = 1u; d < 64u; d <<= 1u) {
    let o = l ^ d;
    s = s * 0.5 + tile[o / 16u][o % 16u];
  }
  y[wg.x * 64u + l] = s;
}
