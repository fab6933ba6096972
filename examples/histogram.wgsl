// How often each high byte occurs. A workgroup counts in its own memory first, so that lanes meet at
// a counter in storage once for each workgroup and not once for each value.
//
//   vyre run examples/histogram.wgsl --in values=fill:random=1:10000 --print bins:256

const BINS = 256u;
const WIDTH = 64u;

@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, BINS>;

var<workgroup> local_bins: array<atomic<u32>, BINS>;

@compute @workgroup_size(WIDTH)
fn histogram(@builtin(global_invocation_id) global: vec3<u32>,
             @builtin(local_invocation_index) lane: u32) {
  if (global.x < arrayLength(&values)) {
    atomicAdd(&local_bins[values[global.x] >> 24], 1);
  }
  workgroupBarrier();

  for (var bin = lane; bin < BINS; bin += WIDTH) {
    let count = atomicLoad(&local_bins[bin]);
    if (count > 0) {
      atomicAdd(&bins[bin], count);
    }
  }
}
