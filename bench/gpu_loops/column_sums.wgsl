struct P { width: u32, rows: u32, part: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> p: P;
@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) g: vec3<u32>) {
  if (g.x >= p.width) { return; }
  var s = 0.0;
  for (var r = g.y; r < p.rows; r += p.part) { s = s + x[r * p.width + g.x]; }
  y[g.y * p.width + g.x] = s;
}
