// sizes: n=300/16K/512K/16M
// p: uniform n
// x: words 0 n
// y: output n
// run: n
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(256) fn xorshift_rounds(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  var v = x[id.x] | 1u;
  for (var i = 0u; i < 64u; i++) {
    v ^= v << 13u;
    v ^= v >> 17u;
    v ^= v << 5u;
  }
  y[id.x] = v;
}
