// Assignments to swizzles of vectors in all memory, some of them outside of their arrays.
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<u32>>;

var<private> mine: array<vec3<u32>, 2>;
var<workgroup> ours: array<vec4<u32>, 32>;

fn turn(v: ptr<function, vec4<u32>>, by: u32) -> u32 {
  v.yzwx = *v;
  if (by % 3u == 0u) { v.xz += vec2(by, 1u); }
  return v.w;
}

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  var v = vec4(x[id.x], id.x, 7u, lane);
  mine[id.x % 2u].zx = v.xy;
  mine[turn(&v, id.x) % 3u].yz ^= mine[0].xy;  // the index is sometimes outside
  ours[lane].wx = v.zw;
  workgroupBarrier();
  for (var i = 0u; i < id.x % 4u; i++) {
    v.xy.y += ours[(lane + i) % 32u].w;
  }
  y[id.x].xw = v.wy + mine[1].zy;
  y[id.x * 3u].z = ours[31u - lane].x;
}
