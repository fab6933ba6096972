// sizes: width=18/32/128/512 height=9/32/96/256 depth=5/16/64/256
// p: uniform width height depth
// x: floats -1 1 width*height*depth
// y: output width*height*depth
// run: width height depth
// tolerance: 1e-5 1e-5
struct P { width: u32, height: u32, depth: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(32, 4, 2) fn heat_3d(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.width || id.y >= p.height || id.z >= p.depth) { return; }
  let plane = p.width * p.height;
  let i = id.z * plane + id.y * p.width + id.x;
  let c = x[i];
  if (id.x == 0u || id.y == 0u || id.z == 0u || id.x == p.width - 1u || id.y == p.height - 1u || id.z == p.depth - 1u) {
    y[i] = c;
    return;
  }
  let around = x[i - 1u] + x[i + 1u] + x[i - p.width] + x[i + p.width] + x[i - plane] + x[i + plane];
  y[i] = c + 0.1 * (around - 6.0 * c);
}
