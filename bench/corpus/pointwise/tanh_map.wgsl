// sizes: n=300/16K/1M/32M
// x: floats -4 4 n
// y: output n
// run: n
// tolerance: 1e-5 1e-5
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(256) fn tanh_map(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i < arrayLength(&y)) { y[i] = tanh(x[i] * 0.5 + 0.1); }
}
