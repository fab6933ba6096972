// How often each high byte occurs: counted in workgroup memory, then added up in storage.
const BINS = 256u;
const WIDTH = 256u;
const EACH = 16u;  // values a lane counts
@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, BINS>;

var<workgroup> local_bins: array<atomic<u32>, BINS>;

@compute @workgroup_size(WIDTH)
fn histogram(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let first = group.x * WIDTH * EACH + lane;
  for (var i = 0u; i < EACH; i++) {
    atomicAdd(&local_bins[values[first + i * WIDTH] >> 24], 1);
  }
  workgroupBarrier();
  let count = atomicLoad(&local_bins[lane]);
  if (count > 0) {
    atomicAdd(&bins[lane], count);
  }
}
