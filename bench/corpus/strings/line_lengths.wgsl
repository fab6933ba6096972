// sizes: n=100/2K/32K/1M
// p: uniform n
// text: text 20 n*128
// y: output n
// run: n
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> text: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
// How far it is from every 128th byte to the first "t", at most 128.
@compute @workgroup_size(64) fn line_lengths(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  var length = 0u;
  loop {
    if (length == 128u) { break; }
    let at = id.x * 128u + length;
    if (((text[at / 4u] >> (at % 4u * 8u)) & 255u) == 116u) { break; }
    length++;
  }
  y[id.x] = length;
}
