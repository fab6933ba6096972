enable subgroups;
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  var v = x[id.x];
  for (var k = 0u; k < 16u; k++) { v = (v >> 1u) + subgroupAdd(v); }
  y[id.x] = v;
}
