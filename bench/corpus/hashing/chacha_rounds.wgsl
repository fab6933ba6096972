// sizes: n=200/4K/128K/4M
// p: uniform n
// y: output n*4
// run: n
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
fn turn(v: u32, n: u32) -> u32 { return (v << n) | (v >> (32u - n)); }
@compute @workgroup_size(64) fn chacha_rounds(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  var a = 0x61707865u;
  var b = id.x;
  var c = 0x3320646eu;
  var d = id.x * 0x9e3779b9u;
  for (var i = 0u; i < 20u; i++) {
    a += b; d = turn(d ^ a, 16u);
    c += d; b = turn(b ^ c, 12u);
    a += b; d = turn(d ^ a, 8u);
    c += d; b = turn(b ^ c, 7u);
  }
  y[id.x * 4u] = a;
  y[id.x * 4u + 1u] = b;
  y[id.x * 4u + 2u] = c;
  y[id.x * 4u + 3u] = d;
}
