// tolerance: 2e-4
// Whole exponents, told by constants and not, have powers of negative bases too.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn constant(@builtin(global_invocation_id) id: vec3<u32>) {
  let v = x[id.x];
  let w = pow(vec2<f32>(v, v + 0.25), vec2<f32>(3.0));
  y[id.x] = pow(v, 2.0) + pow(v, 5.0) * 0.01 + pow(v, -2.0) + pow(v, -3.0) + w.x + w.y + pow(v, 1.0);
}

@compute @workgroup_size(64)
fn computed(@builtin(global_invocation_id) id: vec3<u32>) {
  let n = f32(i32(id.x % 9u) - 4);
  y[id.x] = pow(x[id.x], n) + pow(x[0], n) + pow(abs(x[id.x]), 0.3);
}
