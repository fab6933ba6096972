// Inclusive prefix sums of an array of any length up to WIDTH * WIDTH, in three launches:
//
//   1. scan_blocks   each workgroup scans WIDTH values and writes their total
//   2. scan_totals   one workgroup scans the totals
//   3. add_totals    each workgroup adds the total of all blocks before it
//
// Each is an entry point of this file, chosen with --entry.

const WIDTH = 64u;

@group(0) @binding(0) var<storage, read_write> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> totals: array<u32>;  // one for each block

var<workgroup> slots: array<u32, WIDTH>;

// The inclusive scan of one value a lane (Hillis and Steele): after the step with distance d, a slot
// holds the sum of the 2d values that end with it. Every lane of the workgroup must call this.
fn scan_workgroup(lane: u32, value: u32) -> u32 {
  slots[lane] = value;
  workgroupBarrier();
  for (var distance = 1u; distance < WIDTH; distance *= 2) {
    var sum = slots[lane];
    if (lane >= distance) {
      sum += slots[lane - distance];
    }
    // Nobody writes before everybody has read.
    workgroupBarrier();
    slots[lane] = sum;
    workgroupBarrier();
  }
  return slots[lane];
}

@compute @workgroup_size(WIDTH)
fn scan_blocks(@builtin(global_invocation_id) global: vec3<u32>,
               @builtin(local_invocation_index) lane: u32,
               @builtin(workgroup_id) group: vec3<u32>) {
  let inside = global.x < arrayLength(&values);
  let sum = scan_workgroup(lane, select(0, values[global.x], inside));
  if (inside) {
    values[global.x] = sum;
  }
  if (lane == WIDTH - 1) {
    totals[group.x] = sum;
  }
}

@compute @workgroup_size(WIDTH)
fn scan_totals(@builtin(local_invocation_index) lane: u32) {
  let inside = lane < arrayLength(&totals);
  let sum = scan_workgroup(lane, select(0, totals[lane], inside));
  if (inside) {
    totals[lane] = sum;
  }
}

@compute @workgroup_size(WIDTH)
fn add_totals(@builtin(global_invocation_id) global: vec3<u32>,
              @builtin(workgroup_id) group: vec3<u32>) {
  if (group.x > 0 && global.x < arrayLength(&values)) {
    values[global.x] += totals[group.x - 1];
  }
}
