// sizes: n=5000/64K/4M/64M groups=3/16/128/1024
// p: uniform n
// x: floats -1 1 n
// z: floats -1 1 n
// y: output groups
// groups: groups
// tolerance: 1e-4 1e-2
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> z: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
var<workgroup> part: array<f32, 256>;
@compute @workgroup_size(256)
fn squared_differences(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) l: u32, @builtin(num_workgroups) count: vec3u) {
  var s = 0.0;
  for (var i = group.x * 256u + l; i < p.n; i += count.x * 256u) { let d = x[i] - z[i]; s += d * d; }
  part[l] = s;
  workgroupBarrier();
  for (var k = 128u; k > 0u; k = k / 2u) {
    if (l < k) { part[l] += part[l + k]; }
    workgroupBarrier();
  }
  if (l == 0u) { y[group.x] = part[0]; }
}
