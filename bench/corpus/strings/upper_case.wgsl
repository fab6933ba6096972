// sizes: n=300/16K/1M/32M
// p: uniform n
// text: text 26 n*4
// y: output n
// run: n
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> text: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(256) fn upper_case(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  let v = text[id.x];
  var r = 0u;
  for (var b = 0u; b < 32u; b += 8u) {
    let c = (v >> b) & 255u;
    r |= select(c, c - 32u, c >= 97u && c <= 122u) << b;
  }
  y[id.x] = r;
}
