// sizes: n=300/8K/128K/2M
// p: uniform n
// x: words 0 n*4
// table: words 0 256
// y: output n
// run: n
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read> table: array<u32>;
@group(0) @binding(3) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(128) fn crc_table(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  var c = 0xffffffffu;
  for (var i = 0u; i < 4u; i++) {
    let v = x[id.x * 4u + i];
    for (var b = 0u; b < 32u; b += 8u) {
      c = table[(c ^ (v >> b)) & 255u] ^ (c >> 8u);
    }
  }
  y[id.x] = ~c;
}
