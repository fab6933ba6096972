// sizes: n=300/16K/1M/16M
// p: uniform n 37 12
// before: words 1000 n
// y: output n
// run: n
struct P { n: u32, weight: u32, value: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> before: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(256) fn knapsack_item(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  var best = before[id.x];
  if (id.x >= p.weight) { best = max(best, before[id.x - p.weight] + p.value); }
  y[id.x] = best;
}
