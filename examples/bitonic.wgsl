// One step of a bitonic sort. Sorting 2^m values takes the steps (block, distance) =
// (2,1) (4,2) (4,1) (8,4) (8,2) (8,1) ..., each a launch of its own over all values.
//
//   vyre run examples/bitonic.wgsl --in values=fill:random=1:8 --uniform step.block=2,step.distance=1

struct Step {
  block: u32,     // blocks of this size become sorted, up and down in turn
  distance: u32,  // between the two values that are compared
}

@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<storage, read_write> values: array<u32>;

@compute @workgroup_size(64)
fn compare_and_swap(@builtin(global_invocation_id) id: vec3<u32>) {
  let low = id.x;
  let high = low ^ step.distance;
  // Of the two lanes of a pair, the lower one works.
  if (high <= low || high >= arrayLength(&values)) {
    return;
  }
  let ascending = (low & step.block) == 0;
  let first = values[low];
  let second = values[high];
  if ((first > second) == ascending) {
    values[low] = second;
    values[high] = first;
  }
}
