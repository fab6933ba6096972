// sizes: n=100/1K/16K/256K
// p: uniform n
// y: output n
// run: n
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
fn next(state: ptr<function, u32>) -> u32 {
  *state = *state * 747796405u + 2891336453u;
  let word = ((*state >> ((*state >> 28u) + 4u)) ^ *state) * 277803737u;
  return (word >> 22u) ^ word;
}
@compute @workgroup_size(64) fn count_in_circle(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  // Points by chance, in whole numbers so that every device counts the same.
  var s = id.x * 977u;
  var inside = 0u;
  for (var i = 0u; i < 100u; i++) {
    let a = next(&s) >> 17u;
    let b = next(&s) >> 17u;
    inside += u32(a * a + b * b < 1073741824u);
  }
  y[id.x] = inside;
}
