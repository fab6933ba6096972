// sizes: n=100/4K/256K/8M
// p: uniform n
// y: output n*2
// run: n
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read_write> y: array<vec2u>;
fn high(a: u32, b: u32) -> u32 {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let m1 = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let m2 = (a & 0xffffu) * (b >> 16u) + (m1 & 0xffffu);
  return (a >> 16u) * (b >> 16u) + (m1 >> 16u) + (m2 >> 16u);
}
@compute @workgroup_size(128) fn philox_words(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  var c = vec2u(id.x, 0u);
  var key = 0xd256d193u;
  for (var i = 0u; i < 10u; i++) {
    c = vec2u(high(0xd256d193u, c.x) ^ key ^ c.y, 0xd256d193u * c.x);
    key += 0x9e3779b9u;
  }
  y[id.x] = c;
}
