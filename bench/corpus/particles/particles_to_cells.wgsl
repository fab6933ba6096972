// sizes: n=300/16K/512K/8M side=16/64/256/1K
// p: uniform n side
// x: floats 0 1 n
// y: floats 0 1 n
// cells: output side*side
// run: n
struct P { n: u32, side: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> y: array<f32>;
@group(0) @binding(3) var<storage, read_write> cells: array<atomic<u32>>;
@compute @workgroup_size(128) fn particles_to_cells(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  let cx = u32(x[id.x] * f32(p.side));
  let cy = u32(y[id.x] * f32(p.side));
  atomicAdd(&cells[min(cy, p.side - 1u) * p.side + min(cx, p.side - 1u)], 1u);
}
