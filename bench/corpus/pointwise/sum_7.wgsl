// sizes: n=300/16K/512K/8M
// a: floats -1 1 n
// b: floats -1 1 n
// c: floats -1 1 n
// d: floats -1 1 n
// e: floats -1 1 n
// f: floats -1 1 n
// g: floats -1 1 n
// y: output n
// run: n
// tolerance: 1e-5 1e-5
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read> c: array<f32>;
@group(0) @binding(3) var<storage, read> d: array<f32>;
@group(0) @binding(4) var<storage, read> e: array<f32>;
@group(0) @binding(5) var<storage, read> f: array<f32>;
@group(0) @binding(6) var<storage, read> g: array<f32>;
@group(0) @binding(7) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(256) fn sum_7(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i < arrayLength(&y)) {
    y[i] = a[i] + b[i] - c[i] + d[i] - e[i] + f[i] - g[i];
  }
}
