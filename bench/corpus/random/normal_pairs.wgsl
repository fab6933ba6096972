// sizes: n=200/8K/256K/8M
// p: uniform n
// y: output n*2
// run: n
// tolerance: 1e-4 1e-3
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read_write> y: array<vec2f>;
fn next(state: ptr<function, u32>) -> u32 {
  *state = *state * 747796405u + 2891336453u;
  let word = ((*state >> ((*state >> 28u) + 4u)) ^ *state) * 277803737u;
  return (word >> 22u) ^ word;
}
@compute @workgroup_size(128) fn normal_pairs(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  // Box and Muller.
  var s = id.x * 3u;
  let u = (f32(next(&s) >> 8u) + 1.0) / 16777216.0;
  let v = f32(next(&s) >> 8u) / 16777216.0;
  let r = sqrt(-2.0 * log(u));
  y[id.x] = vec2f(r * cos(6.2831853 * v), r * sin(6.2831853 * v));
}
