// size: 27,14,3
// elements: 4500
enable subgroups;
diagnostic(off, subgroup_uniformity);
@group(0) @binding(0) var<storage, read> u: array<u32>;
@group(0) @binding(1) var<storage, read> f: array<f32>;
@group(0) @binding(2) var<storage, read_write> o: array<u32>;

fn number(g: vec3u) -> u32 { return (g.z * 14u + g.y) * 64u + g.x; }
fn work(i: u32, l: vec3u) {
  var sum = subgroupAdd(u[i]) + subgroupBallot(l.y % 2u == 0u).x;
  if (l.y == 1u) { sum += subgroupExclusiveAdd(u[i]) * 5u; }
  sum ^= subgroupShuffleDown(sum, 9u);
  o[i] = sum ^ bitcast<u32>(subgroupAdd(f[i]));
}
@compute @workgroup_size(8, 8) fn square(@builtin(global_invocation_id) g: vec3u,
    @builtin(local_invocation_id) l: vec3u) {
  work(number(g), l);
}
@compute @workgroup_size(5, 3, 2) fn odd(@builtin(global_invocation_id) g: vec3u,
    @builtin(local_invocation_id) l: vec3u) {
  work(number(g), l);
}
@compute @workgroup_size(32, 2) fn rows(@builtin(global_invocation_id) g: vec3u,
    @builtin(local_invocation_id) l: vec3u) {
  work(number(g), l);
}
@compute @workgroup_size(7, 9) fn more_than_one(@builtin(global_invocation_id) g: vec3u,
    @builtin(local_invocation_id) l: vec3u, @builtin(subgroup_invocation_id) lane: u32) {
  let i = number(g);
  if (i % 3u == 0u) { return; }
  work(i, l);
  for (var k = 0u; k < g.y; k++) {
    o[i] = o[i] * 3u + subgroupAdd(lane);
    if (o[i] % 7u == 2u) { break; }
  }
}
