// sizes: n=300/16K/512K/16M
// p: uniform n
// x: words 0 n
// y: output n
// run: n
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(256) fn mix_words(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  var h = x[id.x];
  h ^= h >> 16u;
  h *= 0x85ebca6bu;
  h ^= h >> 13u;
  h *= 0xc2b2ae35u;
  h ^= h >> 16u;
  y[id.x] = h;
}
