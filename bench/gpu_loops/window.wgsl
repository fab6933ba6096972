struct P { width: u32, height: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> p: P;
@compute @workgroup_size(32, 4) fn main(@builtin(global_invocation_id) g: vec3<u32>) {
  if (g.x >= p.width || g.y >= p.height) { return; }
  var s = 0.0;
  for (var dy = -2; dy <= 2; dy++) {
    for (var dx = -2; dx <= 2; dx++) {
      let cx = u32(clamp(i32(g.x) + dx, 0, i32(p.width) - 1));
      let cy = u32(clamp(i32(g.y) + dy, 0, i32(p.height) - 1));
      s = s + x[cy * p.width + cx];
    }
  }
  y[g.y * p.width + g.x] = s / 25.0;
}
