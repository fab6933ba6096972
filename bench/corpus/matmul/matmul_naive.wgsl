// sizes: n=32/64/256/1K
// p: uniform n
// a: floats -1 1 n*n
// b: floats -1 1 n*n
// c: output n*n
// run: n n
// tolerance: 1e-4 1e-3
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;
@compute @workgroup_size(16, 16) fn matmul_naive(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n || id.y >= p.n) { return; }
  var s = 0.0;
  for (var k = 0u; k < p.n; k++) { s += a[id.y * p.n + k] * b[k * p.n + id.x]; }
  c[id.y * p.n + id.x] = s;
}
