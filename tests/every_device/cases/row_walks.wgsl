// elements: 3000
// Lanes that walk along rows of their own, or down columns: what they load and store in the next
// rounds may be moved in blocks.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> four: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> words: array<u32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<storage, read_write> z: array<vec2<u32>>;

fn width() -> u32 { return 23u + (words[0] & 0u); }

@compute @workgroup_size(64) fn sums(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= 100u) { return; }
  var s = 0.0;
  for (var i = 0u; i < width(); i++) { s = s * 0.5 + x[id.x * width() + i]; }
  y[id.x] = s;
}
// The last rows end with the buffer, and beyond it.
@compute @workgroup_size(64) fn to_the_end(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= 140u) { return; }
  var s = 0.0;
  for (var i = 0u; i < width(); i++) { s = s * 0.5 + x[id.x * width() + i]; }
  y[id.x] = s;
}
@compute @workgroup_size(64) fn vectors(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= 300u) { return; }
  var s = vec4<f32>(0.0);
  for (var i = 0u; i < 9u; i++) { s = s * 0.5 + four[id.x * 9u + i]; }
  y[id.x] = s.x + 2.0 * s.y + 4.0 * s.z + 8.0 * s.w;
}
// Lanes leave at different times, skip rounds, and step differently.
@compute @workgroup_size(64) fn uneven(@builtin(global_invocation_id) id: vec3<u32>) {
  var s = 0.0;
  var i = id.x % 5u;
  loop {
    if (i >= width() || words[(id.x * 16u + i) / 4u] % 29u == 3u) { break; }
    if (words[id.x * 2u + i] % 3u != 0u) { s = s * 0.5 + x[id.x * 7u + i]; }
    i += 1u + (words[id.x] & 1u);
  }
  y[id.x] = s;
}
// Rows that begin anywhere, also where the buffer has ended.
@compute @workgroup_size(64) fn anywhere(@builtin(global_invocation_id) id: vec3<u32>) {
  var s = 0u;
  let row = words[id.x] * 3u;
  for (var i = 0u; i < 20u; i += 2u) { s = s * 3u + words[row + i] + words[row - i]; }
  z[id.x] = vec2<u32>(s, row);
}
@compute @workgroup_size(64) fn stored(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= 120u) { return; }
  var s = 0.0;
  for (var i = 0u; i < width(); i++) {
    s = s * 0.5 + x[id.x * width() + i];
    y[id.x * width() + i] = s;
  }
}
@compute @workgroup_size(64) fn stored_unevenly(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= 120u) { return; }
  for (var i = 0u; i < width(); i++) {
    if (words[id.x * width() + i] % 5u == 0u) { continue; }
    y[id.x * width() + i] = f32(i) + 0.25;
    if (words[id.x * width() + i] % 61u == 1u) { break; }
  }
}
// Each element twice: the later value remains.
@compute @workgroup_size(64) fn stored_again(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= 150u) { return; }
  for (var turn = 0u; turn < 3u; turn++) {
    for (var i = turn; i < 18u; i++) { y[id.x * 20u + i] = f32(turn * 100u + i); }
  }
}
@compute @workgroup_size(64) fn pairs(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= 200u) { return; }
  for (var i = 0u; i < 14u; i++) { z[id.x * 14u + i] = vec2<u32>(id.x, i * words[id.x]); }
}
@compute @workgroup_size(64) fn eight(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= 370u) { return; }
  for (var i = 0u; i < 8u; i++) { y[id.x * 8u + i] = x[id.x * 8u + i] * f32(i); }
}
