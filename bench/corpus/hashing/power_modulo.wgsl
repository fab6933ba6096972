// sizes: n=300/4K/64K/1M
// p: uniform n
// x: words 65521 n
// y: output n
// run: n
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(64) fn power_modulo(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  // x to the power of 65519 modulo the prime 65521: the inverse.
  var base = x[id.x];
  var r = 1u;
  for (var e = 65519u; e > 0u; e = e >> 1u) {
    if ((e & 1u) == 1u) { r = r * base % 65521u; }
    base = base * base % 65521u;
  }
  y[id.x] = r;
}
