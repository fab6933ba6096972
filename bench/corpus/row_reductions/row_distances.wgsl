// sizes: rows=3/64/1K/8K width=100/1000/1000/4K
// p: uniform rows width
// x: floats -1 1 rows*width
// q: floats -1 1 width
// y: output rows
// run: rows
// tolerance: 1e-4 1e-3
struct P { rows: u32, width: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> q: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
// The distance of each row to one vector, a row to a lane.
@compute @workgroup_size(64) fn row_distances(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.rows) { return; }
  var s = 0.0;
  for (var i = 0u; i < p.width; i++) {
    let d = x[id.x * p.width + i] - q[i];
    s += d * d;
  }
  y[id.x] = sqrt(s);
}
