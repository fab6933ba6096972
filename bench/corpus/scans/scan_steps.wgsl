// sizes: n=1K/64K/2M/32M
// x: words 1000 n
// y: output n
// groups: n/256
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
// Sums so far within each block of 256, in log2 256 steps.
var<workgroup> part: array<u32, 256>;
@compute @workgroup_size(256)
fn scan_steps(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32) {
  part[l] = x[id.x];
  workgroupBarrier();
  for (var k = 1u; k < 256u; k = k * 2u) {
    var v = 0u;
    if (l >= k) { v = part[l - k]; }
    workgroupBarrier();
    part[l] += v;
    workgroupBarrier();
  }
  y[id.x] = part[l];
}
