// sizes: width=33/128/1K/4K height=17/128/1K/4K
// p: uniform width height
// x: floats -1 1 width*height
// y: output width*height
// run: width height
// tolerance: 1e-5 1e-5
struct P { width: u32, height: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
// The mean of a window whose coordinates are clamped to the image.
@compute @workgroup_size(32, 4) fn window_5x5(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.width || id.y >= p.height) { return; }
  var s = 0.0;
  for (var dy = -2; dy <= 2; dy++) {
    for (var dx = -2; dx <= 2; dx++) {
      let cx = u32(clamp(i32(id.x) + dx, 0, i32(p.width) - 1));
      let cy = u32(clamp(i32(id.y) + dy, 0, i32(p.height) - 1));
      s += x[cy * p.width + cx];
    }
  }
  y[id.y * p.width + id.x] = s / 25.0;
}
