// sizes: width=33/128/1K/4K height=17/128/1K/4K
// p: uniform width height
// now: floats -1 1 width*height
// before: output floats -1 1 width*height
// run: width height
// tolerance: 1e-5 1e-5
struct P { width: u32, height: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> now: array<f32>;
@group(0) @binding(2) var<storage, read_write> before: array<f32>;
// A step of the wave equation on a torus: the next state replaces the one before.
@compute @workgroup_size(16, 16) fn wave_2d(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.width || id.y >= p.height) { return; }
  let left = select(id.x - 1u, p.width - 1u, id.x == 0u);
  let right = select(id.x + 1u, 0u, id.x + 1u == p.width);
  let above = select(id.y - 1u, p.height - 1u, id.y == 0u);
  let below = select(id.y + 1u, 0u, id.y + 1u == p.height);
  let row = id.y * p.width;
  let c = now[row + id.x];
  let around = now[row + left] + now[row + right] + now[above * p.width + id.x] + now[below * p.width + id.x];
  before[row + id.x] = 2.0 * c - before[row + id.x] + 0.2 * (around - 4.0 * c);
}
