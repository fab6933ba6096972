// sizes: n=300/16K/1M/32M
// x: floats 0 1 n
// y: output n
// run: n
// tolerance: 1e-4 1e-5
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(256) fn gamma_curve(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= arrayLength(&y)) { return; }
  let v = x[i];
  y[i] = select(1.055 * pow(v, 0.4166667) - 0.055, 12.92 * v, v <= 0.0031308);
}
