// elements: 300
enable subgroups;
enable f16;
diagnostic(off, subgroup_uniformity);
@group(0) @binding(0) var<storage, read> h: array<f16>;
@group(0) @binding(1) var<storage, read_write> o: array<f32>;

fn all_of(i: u32, x: f16) {
  let v = vec2<f16>(x, -x * 0.5h);
  var sum = f32(subgroupAdd(x) - subgroupMin(x) + subgroupMax(x));
  sum += f32(subgroupMul(x - 0.25h));
  sum = sum * 0.5 + f32(subgroupInclusiveAdd(v).y);
  sum = sum * 0.5 + f32(subgroupExclusiveAdd(v).x);
  sum = sum * 0.5 + f32(subgroupInclusiveMul(x - 0.5h));
  sum = sum * 0.5 + f32(subgroupExclusiveMul(x - 0.5h));
  sum = sum * 0.5 + f32(subgroupShuffleXor(v, 7u).x) + f32(quadSwapY(x));
  sum = sum * 0.5 + f32(subgroupBroadcastFirst(v).y) + f32(subgroupBroadcast(x, 9u));
  o[i] = sum;
}
@compute @workgroup_size(64) fn together(@builtin(global_invocation_id) g: vec3u) {
  all_of(g.x, h[g.x]);
}
@compute @workgroup_size(40) fn apart(@builtin(global_invocation_id) g: vec3u) {
  if (g.x % 7u > 2u) { all_of(g.x, h[g.x]); } else { all_of(g.x, 2.0h - h[g.x]); }
}
