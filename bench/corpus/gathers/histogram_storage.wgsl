// sizes: n=300/16K/1M/16M
// p: uniform n
// x: words 0 n
// bins: output 1024
// run: n
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> bins: array<atomic<u32>>;
// Counted in storage at once.
@compute @workgroup_size(256) fn histogram_storage(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < p.n) { atomicAdd(&bins[x[id.x] >> 22u], 1u); }
}
