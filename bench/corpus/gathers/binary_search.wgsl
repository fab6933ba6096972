// sizes: n=300/16K/256K/8M m=100/4K/64K/1M
// p: uniform n m
// keys: words 1000000000 n
// sorted: ascending 1000000000 m
// y: output n
// run: n
struct P { n: u32, m: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read> sorted: array<u32>;
@group(0) @binding(3) var<storage, read_write> y: array<u32>;
// How many of the sorted words are below the key.
@compute @workgroup_size(128) fn binary_search(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  let key = keys[id.x];
  var low = 0u;
  var high = p.m;
  while (low < high) {
    let middle = (low + high) / 2u;
    if (sorted[middle] < key) { low = middle + 1u; } else { high = middle; }
  }
  y[id.x] = low;
}
