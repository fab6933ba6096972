// sizes: n=300/16K/1M/32M
// a: floats -1 1 n
// b: floats -1 1 n
// c: floats -1 1 n
// y: output n
// run: n
// tolerance: 1e-6 1e-6
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read> c: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn multiply_add(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i < arrayLength(&y)) { y[i] = a[i] * b[i] + c[i]; }
}
