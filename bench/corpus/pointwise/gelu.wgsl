// sizes: n=300/16K/1M/32M
// x: floats -6 6 n
// y: output n
// run: n
// tolerance: 1e-5 1e-5
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(128) fn gelu(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= arrayLength(&y)) { return; }
  let v = x[i];
  y[i] = 0.5 * v * (1.0 + tanh(0.7978845608 * (v + 0.044715 * v * v * v)));
}
