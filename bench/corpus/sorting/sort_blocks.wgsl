// sizes: n=512/32K/512K/16M
// x: output words 0 n
// groups: n/256
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
// Sorts blocks of 256 in workgroup memory.
var<workgroup> v: array<u32, 256>;
@compute @workgroup_size(256)
fn sort_blocks(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32) {
  v[l] = x[id.x];
  for (var block = 2u; block <= 256u; block = block * 2u) {
    for (var distance = block / 2u; distance > 0u; distance = distance / 2u) {
      workgroupBarrier();
      let j = l ^ distance;
      if (j > l) {
        let a = v[l];
        let b = v[j];
        if ((a > b) == ((l & block) == 0u)) {
          v[l] = b;
          v[j] = a;
        }
      }
    }
  }
  workgroupBarrier();
  x[id.x] = v[l];
}
