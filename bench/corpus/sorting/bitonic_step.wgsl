// sizes: n=1K/64K/1M/16M
// p: uniform n 64 16
// x: output words 0 n
// run: n
struct P { n: u32, block: u32, distance: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read_write> x: array<u32>;
// One step of a sorting network over all of memory.
@compute @workgroup_size(256) fn bitonic_step(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  let j = i ^ p.distance;
  if (i >= p.n || j <= i) { return; }
  let a = x[i];
  let b = x[j];
  if ((a > b) == ((i & p.block) == 0u)) {
    x[i] = b;
    x[j] = a;
  }
}
