// Stages that work on a row in each workgroup: a normalisation, a product with weights, a residual sum.
struct Shape { width: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> other: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> shape: Shape;
var<workgroup> part: array<f32, 256>;

@compute @workgroup_size(256)
fn normalise(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let row = group.x * shape.width;
  var sum = 0.0;
  for (var i = lane; i < shape.width; i += 256u) {
    let v = x[row + i];
    sum += v * v;
  }
  part[lane] = sum;
  workgroupBarrier();
  for (var k = 128u; k > 0u; k /= 2u) {
    if (lane < k) { part[lane] += part[lane + k]; }
    workgroupBarrier();
  }
  let scale = inverseSqrt(part[0] / f32(shape.width) + 1e-5);
  for (var i = lane; i < shape.width; i += 256u) { y[row + i] = x[row + i] * scale; }
}

@compute @workgroup_size(256)
fn weigh(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let row = group.x * shape.width;
  for (var i = lane; i < shape.width; i += 256u) { y[row + i] = x[row + i] * other[i]; }
}

@compute @workgroup_size(256)
fn add(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let row = group.x * shape.width;
  for (var i = lane; i < shape.width; i += 256u) { y[row + i] = x[row + i] + other[row + i]; }
}
