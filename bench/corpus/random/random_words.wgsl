// sizes: n=300/16K/1M/32M
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
@compute @workgroup_size(256) fn random_words(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  var s = id.x;
  y[id.x] = next(&s);
}
