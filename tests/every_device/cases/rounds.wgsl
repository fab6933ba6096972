// elements: 111
// size: 111
// What a loop around barriers carries on belongs to its rounds: they are not gangs, whose order is
// free.
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

var<workgroup> line: array<f32, 37>;

@compute @workgroup_size(37)
fn rounds(@builtin(global_invocation_id) id: vec3<u32>,
          @builtin(local_invocation_index) lane: u32) {
  var v = a[id.x];
  var round = 0u;
  while (round < 40) {
    round++;
    line[lane] = v;
    workgroupBarrier();
    v += b[id.x];
    workgroupBarrier();
  }
  c[id.x] = line[lane];
}
