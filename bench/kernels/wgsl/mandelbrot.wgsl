// Rounds of z = z*z + c until z leaves the circle of radius 2.
struct Shape {
  left: f32,
  top: f32,
  pixel: f32,
  width: u32,
  limit: u32,
}
@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read_write> rounds: array<u32>;

@compute @workgroup_size(16, 8)
fn mandelbrot(@builtin(global_invocation_id) id: vec3<u32>) {
  let cx = shape.left + f32(id.x) * shape.pixel;
  let cy = shape.top + f32(id.y) * shape.pixel;
  var x = 0.0;
  var y = 0.0;
  var round = 0u;
  while (round < shape.limit && x * x + y * y <= 4.0) {
    let next = x * x - y * y + cx;
    y = 2.0 * x * y + cy;
    x = next;
    round++;
  }
  rounds[id.y * shape.width + id.x] = round;
}
