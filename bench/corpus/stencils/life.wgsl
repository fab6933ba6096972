// sizes: width=33/256/2K/8K height=17/256/1K/8K
// p: uniform width height
// x: words 2 width*height
// y: output width*height
// run: width height
struct P { width: u32, height: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(8, 8) fn life(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.width || id.y >= p.height) { return; }
  var count = 0u;
  for (var dy = 0u; dy < 3u; dy++) {
    for (var dx = 0u; dx < 3u; dx++) {
      let cx = (id.x + p.width + dx - 1u) % p.width;
      let cy = (id.y + p.height + dy - 1u) % p.height;
      count += x[cy * p.width + cx];
    }
  }
  let here = x[id.y * p.width + id.x];
  y[id.y * p.width + id.x] = u32(count == 3u || (count == 4u && here == 1u));
}
