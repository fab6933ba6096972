// sizes: n=300/8K/512K/16M
// p: uniform n
// a: floats -1 1 n*2
// b: floats -1 1 n*2
// c: output n*2
// run: n
// tolerance: 1e-5 1e-5
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> a: array<vec2f>;
@group(0) @binding(2) var<storage, read> b: array<vec2f>;
@group(0) @binding(3) var<storage, read_write> c: array<vec2f>;
@compute @workgroup_size(128) fn complex_multiply(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  let u = a[id.x];
  let v = b[id.x];
  c[id.x] = vec2f(u.x * v.x - u.y * v.y, u.x * v.y + u.y * v.x);
}
