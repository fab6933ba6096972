// sizes: n=300/16K/1M/16M m=100/4K/64K/1M
// p: uniform n
// sources: words m n
// degrees: output m
// run: n
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> sources: array<u32>;
@group(0) @binding(2) var<storage, read_write> degrees: array<atomic<u32>>;
// The edges that leave each vertex.
@compute @workgroup_size(256) fn graph_degrees(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < p.n) { atomicAdd(&degrees[sources[id.x]], 1u); }
}
