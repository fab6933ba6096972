// sizes: n=300/16K/1M/32M
// p: uniform n
// text: text 3 n*4+16
// y: output n
// run: n
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> text: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
// In which of the four bytes of each word of text "abac" begins, as bits.
@compute @workgroup_size(128) fn find_word(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  let low = text[id.x];
  let high = text[id.x + 1u];
  var found = u32(low == 0x63616261u);
  found |= u32(((low >> 8u) | (high << 24u)) == 0x63616261u) << 1u;
  found |= u32(((low >> 16u) | (high << 16u)) == 0x63616261u) << 2u;
  found |= u32(((low >> 24u) | (high << 8u)) == 0x63616261u) << 3u;
  y[id.x] = found;
}
