// sizes: n=300/16K/256K/8M side=16/64/256/1K
// p: uniform n side
// x: floats 0 1 n
// y: floats 0 1 n
// field: floats -1 1 side*side
// v: output n
// run: n
// tolerance: 1e-3 1e-3
struct P { n: u32, side: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> y: array<f32>;
@group(0) @binding(3) var<storage, read> field: array<f32>;
@group(0) @binding(4) var<storage, read_write> v: array<f32>;
// A field between the centres of its cells.
@compute @workgroup_size(128) fn cells_to_particles(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  let sx = x[id.x] * f32(p.side - 2u);
  let sy = y[id.x] * f32(p.side - 2u);
  let cx = u32(sx);
  let cy = u32(sy);
  let fx = sx - f32(cx);
  let fy = sy - f32(cy);
  let at = cy * p.side + cx;
  let above = mix(field[at], field[at + 1u], fx);
  let below = mix(field[at + p.side], field[at + p.side + 1u], fx);
  v[id.x] = mix(above, below, fy);
}
