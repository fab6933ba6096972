var<workgroup> tile: array<array<f32, 8>, 8>;
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
@compute @workgroup_size(8, 8)
fn transpose(@builtin(workgroup_id) g: vec3u, @builtin(local_invocation_id) l: vec3u) {
  if l.x > 4u { workgroupBarrier(); }
  tile[l.y][l.x] = a[(g.y * 8 + l.y) * 64 + g.x * 8 + l.x];
  workgroupBarrier();
  b[(g.x * 8 + l.y) * 64 + g.y * 8 + l.x] = tile[l.x][l.y];
}
