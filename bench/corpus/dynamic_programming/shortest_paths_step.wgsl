// sizes: n=33/128/1K/4K
// p: uniform n 5
// d: output words 1000 n*n
// run: n n
struct P { n: u32, k: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read_write> d: array<u32>;
// One step of Floyd and Warshall: through vertex k. Its own row and column do not change.
@compute @workgroup_size(16, 16) fn shortest_paths_step(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n || id.y >= p.n || id.x == p.k || id.y == p.k) { return; }
  let at = id.y * p.n + id.x;
  d[at] = min(d[at], d[id.y * p.n + p.k] + d[p.k * p.n + id.x]);
}
