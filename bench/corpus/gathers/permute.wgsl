// sizes: n=300/16K/1M/16M
// x: floats -1 1 n
// at: permutation n
// y: output n
// run: n
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> at: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(256) fn permute(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&y)) { y[id.x] = x[at[id.x]]; }
}
