// sizes: n=5000/64K/4M/64M groups=3/16/128/1024
// p: uniform n
// x: floats -1 1 n
// y: output groups*2
// groups: groups
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<vec2f>;
var<workgroup> part: array<vec2f, 256>;
@compute @workgroup_size(256)
fn least_and_most(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) l: u32, @builtin(num_workgroups) count: vec3u) {
  var low = 3.0e38;
  var high = -3.0e38;
  for (var i = group.x * 256u + l; i < p.n; i += count.x * 256u) { let v = x[i]; low = min(low, v); high = max(high, v); }
  part[l] = vec2f(low, high);
  workgroupBarrier();
  for (var k = 128u; k > 0u; k = k / 2u) {
    if (l < k) { part[l] = vec2f(min(part[l].x, part[l + k].x), max(part[l].y, part[l + k].y)); }
    workgroupBarrier();
  }
  if (l == 0u) { y[group.x] = part[0]; }
}
