// sizes: n=256/512/4K/32K
// p: uniform n
// x: permutation n
// y: output n
// run: n
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
// The place of each element is the number of smaller ones.
@compute @workgroup_size(64) fn rank_sort(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  let v = x[id.x];
  var rank = 0u;
  for (var i = 0u; i < p.n; i++) { rank += u32(x[i] < v); }
  y[rank] = v;
}
