// One step of a bitonic sort.
struct Shape {
  block: u32,     // blocks of this size become sorted, up and down in turn
  distance: u32,  // between the two values that are compared
}
@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read_write> values: array<u32>;

@compute @workgroup_size(256)
fn bitonic(@builtin(global_invocation_id) id: vec3<u32>) {
  let low = id.x;
  let high = low ^ shape.distance;
  if (high > low) {
    let first = values[low];
    let second = values[high];
    let ascending = (low & shape.block) == 0;
    if ((first > second) == ascending) {
      values[low] = second;
      values[high] = first;
    }
  }
}
