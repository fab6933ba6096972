// One step of heat on a 2-D grid; the border keeps its values.
struct Shape {
  width: u32,
  height: u32,
  rate: f32,
}
@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> before: array<f32>;
@group(0) @binding(2) var<storage, read_write> after: array<f32>;

@compute @workgroup_size(16, 16)
fn stencil(@builtin(global_invocation_id) id: vec3<u32>) {
  let x = id.x;
  let y = id.y;
  if (x >= shape.width || y >= shape.height) {
    return;
  }
  let i = y * shape.width + x;
  let centre = before[i];
  if (x == 0 || y == 0 || x == shape.width - 1 || y == shape.height - 1) {
    after[i] = centre;
    return;
  }
  let around = before[i - 1] + before[i + 1] + before[i - shape.width] + before[i + shape.width];
  after[i] = centre + shape.rate * (around - 4.0 * centre);
}
