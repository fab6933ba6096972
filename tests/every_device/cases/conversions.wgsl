// elements: 64
// Floats that integers cannot hold, and integers that floats round.
@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@group(0) @binding(1) var<storage, read_write> f: array<f32>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let power = exp2(f32(id.x));
  let odd = f32(id.x & 1u) * 2.0 - 1.0;
  let v = power * odd;
  let endless = v * 1e38;
  y[id.x] = u32(v) ^ bitcast<u32>(i32(v)) ^ u32(endless) ^ bitcast<u32>(i32(endless));
  let n = 0xFFFFFFFFu >> (id.x & 31u);
  f[id.x] = f32(n) + f32(bitcast<i32>(n));
}
