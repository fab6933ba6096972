// sizes: n=320/32K/2M/64M
// x: halves -2 2 n
// y: output n/2
// run: n
// tolerance: 2e-3 2e-3
enable f16;
@group(0) @binding(0) var<storage, read> x: array<f16>;
@group(0) @binding(1) var<storage, read_write> y: array<f16>;
@compute @workgroup_size(256) fn half_scale(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&y)) { y[id.x] = x[id.x] * 1.5h + 0.25h; }
}
