// The sum of each block of WIDTH values, by a tree in workgroup memory: after step s, the first
// WIDTH / 2^s slots hold the sums of everything above them.
//
//   vyre run examples/reduction.wgsl --grid 4 --in values=fill:iota:256 --in sums=fill:zeros:4

override WIDTH: u32 = 64;  // a power of two

@group(0) @binding(0) var<storage, read> values: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;  // one for each workgroup

var<workgroup> partial: array<f32, WIDTH>;

@compute @workgroup_size(WIDTH)
fn reduce(@builtin(global_invocation_id) global: vec3<u32>,
          @builtin(local_invocation_index) lane: u32,
          @builtin(workgroup_id) group: vec3<u32>) {
  // A value beyond the end counts as nothing. Every lane goes on to the barriers.
  partial[lane] = select(0.0, values[global.x], global.x < arrayLength(&values));
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
