// sizes: n=300/16K/1M/32M
// p: uniform n
// a: words 0 n
// b: words 0 n
// y: output n
// run: n
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> a: array<u32>;
@group(0) @binding(2) var<storage, read> b: array<u32>;
@group(0) @binding(3) var<storage, read_write> y: array<u32>;
// The mean of four bytes at a time, rounded up.
@compute @workgroup_size(256) fn blend_bytes(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  let v = a[id.x];
  let w = b[id.x];
  y[id.x] = (v | w) - (((v ^ w) >> 1u) & 0x7f7f7f7fu);
}
