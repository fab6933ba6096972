// Inclusive prefix sums within blocks of 256 values (Hillis and Steele).
const WIDTH = 256u;
@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

var<workgroup> slots: array<u32, WIDTH>;

@compute @workgroup_size(WIDTH)
fn scan(@builtin(global_invocation_id) id: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
  slots[lane] = values[id.x];
  workgroupBarrier();
  for (var distance = 1u; distance < WIDTH; distance *= 2) {
    var sum = slots[lane];
    if (lane >= distance) {
      sum += slots[lane - distance];
    }
    workgroupBarrier();
    slots[lane] = sum;
    workgroupBarrier();
  }
  sums[id.x] = slots[lane];
}
