// sizes: width=18/32/96/256 height=9/32/64/256 depth=5/16/64/256
// p: uniform width height depth
// x: floats -1 1 width*height*depth
// h: floats -1 1 27
// y: output width*height*depth
// run: width height depth
// tolerance: 1e-4 1e-4
struct P { width: u32, height: u32, depth: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> h: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
// 3 x 3 x 3 taps; the border stays zero.
@compute @workgroup_size(8, 8, 4) fn convolve_3d(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.width || id.y >= p.height || id.z >= p.depth) { return; }
  if (id.x == 0u || id.y == 0u || id.z == 0u || id.x + 1u == p.width || id.y + 1u == p.height || id.z + 1u == p.depth) {
    return;
  }
  var s = 0.0;
  for (var k = 0u; k < 3u; k++) {
    for (var j = 0u; j < 3u; j++) {
      for (var i = 0u; i < 3u; i++) {
        let at = ((id.z + k - 1u) * p.height + id.y + j - 1u) * p.width + id.x + i - 1u;
        s += x[at] * h[(k * 3u + j) * 3u + i];
      }
    }
  }
  y[(id.z * p.height + id.y) * p.width + id.x] = s;
}
