// sizes: rows=65/256/2K/8K width=64/512/1K/4K
// p: uniform rows width
// a: floats -1 1 rows*width
// v: floats -1 1 width
// y: output rows
// run: rows
// tolerance: 1e-4 1e-3
struct P { rows: u32, width: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> a: array<vec4f>;
@group(0) @binding(2) var<storage, read> v: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
// A row to a lane, four elements at a time.
@compute @workgroup_size(64) fn matvec_vec4(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.rows) { return; }
  let quads = p.width / 4u;
  var s = vec4f();
  for (var i = 0u; i < quads; i++) { s += a[id.x * quads + i] * v[i]; }
  y[id.x] = s.x + s.y + s.z + s.w;
}
