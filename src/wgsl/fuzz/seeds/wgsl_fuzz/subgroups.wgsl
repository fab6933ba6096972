enable subgroups, f16;
requires subgroup_id, subgroup_uniformity;
diagnostic(info, subgroup_uniformity);
@group(0) @binding(0) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(64) @diagnostic(warning, subgroup_uniformity)
fn main(@builtin(subgroup_id) s: u32, @builtin(subgroup_invocation_id) i: u32,
        @builtin(num_subgroups) n: u32, @builtin(subgroup_size) size: u32) {
  if (s == 0) { o[i] = subgroupAdd(o[i]) + f32(subgroupInclusiveMul(i) + n); }
  if (subgroupAny(o[i] > 1) && subgroupElect()) { o[0] = subgroupBroadcast(o[i], 3u); }
  let b = subgroupBallot(i < size / 2u).x ^ (subgroupShuffleXor(i, 1u) + quadSwapX(i));
  o[b] = f32(subgroupMax(vec3h(1h)).y) + subgroupShuffleDown(o[i], 4u) + quadBroadcast(1f, 2);
}
