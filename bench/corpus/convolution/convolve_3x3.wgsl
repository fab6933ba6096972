// sizes: width=33/128/1K/4K height=17/128/1K/4K
// p: uniform width height
// x: floats -1 1 width*height
// h: floats -1 1 9
// y: output width*height
// run: width height
// tolerance: 1e-5 1e-5
struct P { width: u32, height: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> h: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
// What lies outside the image counts as zero.
@compute @workgroup_size(16, 16) fn convolve_3x3(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.width || id.y >= p.height) { return; }
  var s = 0.0;
  for (var j = 0u; j < 3u; j++) {
    for (var i = 0u; i < 3u; i++) {
      let cx = id.x + i;
      let cy = id.y + j;
      if (cx > 0u && cx <= p.width && cy > 0u && cy <= p.height) {
        s += x[(cy - 1u) * p.width + cx - 1u] * h[j * 3u + i];
      }
    }
  }
  y[id.y * p.width + id.x] = s;
}
