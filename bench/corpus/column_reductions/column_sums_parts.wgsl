// sizes: parts=4/8/16/64 rows=50/256/1K/8K width=70/256/1K/4K
// p: uniform rows width parts
// x: floats -1 1 rows*width
// y: output width*parts
// run: width parts
// tolerance: 1e-4 1e-3
struct P { rows: u32, width: u32, parts: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
// Every so many rows to a lane; another kernel adds the parts up.
@compute @workgroup_size(64, 4) fn column_sums_parts(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.width || id.y >= p.parts) { return; }
  var s = 0.0;
  for (var r = id.y; r < p.rows; r += p.parts) { s += x[r * p.width + id.x]; }
  y[id.y * p.width + id.x] = s;
}
