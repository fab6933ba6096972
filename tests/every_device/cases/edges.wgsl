// size: 50,20
// Neighbours on both sides, near and far, in arrays that do not end together.
@group(0) @binding(0) var<uniform> shape: vec2<u32>;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<u32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(16, 4) fn around(@builtin(global_invocation_id) g: vec3u) {
  if (g.x >= 47 || g.y >= 19) { return; }
  let i = g.y * 50 + g.x;
  y[i] = a[i - 3] + a[i - 1] + a[i] + a[i + 2] + a[i - 50] + a[i + 50] + a[i + 52];
}

@compute @workgroup_size(16, 4) fn unguarded(@builtin(global_invocation_id) g: vec3u) {
  let i = g.y * 50 + g.x;
  y[i] = a[i + 1] + a[i + 40] + f32(b[i - 1] + b[i + 4000000000u] + b[i + 4294967295u]);
}

@compute @workgroup_size(16, 4) fn ahead(@builtin(global_invocation_id) g: vec3u) {
  let i = g.x + 4294967286u;
  if (g.x < shape.x && g.y < 1) { y[g.x] = a[i + 12] + a[i + 16] - f32(b[i + 10]); }
}

// Both sides of a condition of y alone.
@compute @workgroup_size(16, 4) fn halves(@builtin(global_invocation_id) g: vec3u) {
  let i = g.y * 50 + g.x;
  if (g.y < 9) { y[i] = a[i] + 1.0; } else { y[i] = a[i - 1] - a[i + 1]; }
}
