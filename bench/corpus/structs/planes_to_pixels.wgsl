// sizes: n=300/8K/512K/16M
// p: uniform n
// r: floats 0 1 n
// g: floats 0 1 n
// b: floats 0 1 n
// y: output n*4
// run: n
// tolerance: 1e-5 1e-5
struct P { n: u32 }
struct Pixel { r: f32, g: f32, b: f32, light: f32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> r: array<f32>;
@group(0) @binding(2) var<storage, read> g: array<f32>;
@group(0) @binding(3) var<storage, read> b: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<Pixel>;
@compute @workgroup_size(128) fn planes_to_pixels(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  let red = r[id.x];
  let green = g[id.x];
  let blue = b[id.x];
  y[id.x] = Pixel(red, green, blue, 0.25 * red + 0.625 * green + 0.125 * blue);
}
