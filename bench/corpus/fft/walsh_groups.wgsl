// sizes: n=1K/64K/1M/16M
// x: floats -1 1 n
// y: output n
// groups: n/256
// tolerance: 1e-4 1e-4
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
// The Walsh-Hadamard transform of each block of 256.
var<workgroup> v: array<f32, 256>;
@compute @workgroup_size(128) fn walsh_groups(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) l: u32) {
  let base = group.x * 256u;
  v[l] = x[base + l];
  v[l + 128u] = x[base + l + 128u];
  for (var span = 1u; span < 256u; span = span * 2u) {
    workgroupBarrier();
    let at = 2u * l - (l & (span - 1u));
    let a = v[at];
    let b = v[at + span];
    v[at] = a + b;
    v[at + span] = a - b;
  }
  workgroupBarrier();
  y[base + l] = v[l];
  y[base + l + 128u] = v[l + 128u];
}
