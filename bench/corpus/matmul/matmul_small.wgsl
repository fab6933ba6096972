// sizes: n=100/2K/32K/512K
// p: uniform n
// a: floats -1 1 n*16
// b: floats -1 1 n*16
// c: output n*16
// run: n
// tolerance: 1e-5 1e-5
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> a: array<mat4x4f>;
@group(0) @binding(2) var<storage, read> b: array<mat4x4f>;
@group(0) @binding(3) var<storage, read_write> c: array<mat4x4f>;
// Products of many 4 x 4 matrices.
@compute @workgroup_size(64) fn matmul_small(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < p.n) { c[id.x] = a[id.x] * b[id.x]; }
}
