// sizes: n=300/16K/1M/32M
// y: output floats -6 6 n
// run: n
// tolerance: 1e-5 1e-5
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(256) fn swish_in_place(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i < arrayLength(&y)) { y[i] = y[i] / (1.0 + exp(-y[i])); }
}
