// The sum of each block of 256 values, by a tree.
const WIDTH = 256u;
@group(0) @binding(0) var<storage, read> values: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;

var<workgroup> partial: array<f32, WIDTH>;

@compute @workgroup_size(WIDTH)
fn reduction(@builtin(global_invocation_id) id: vec3<u32>,
             @builtin(local_invocation_index) lane: u32,
             @builtin(workgroup_id) group: vec3<u32>) {
  partial[lane] = values[id.x];
  workgroupBarrier();
  for (var half = WIDTH / 2; half > 0; half /= 2) {
    if (lane < half) {
      partial[lane] += partial[lane + half];
    }
    workgroupBarrier();
  }
  if (lane == 0) {
    sums[group.x] = partial[0];
  }
}
