// The acceleration of bodies that attract each other, every pair of them.
struct Shape {
  count: u32,
  softening: f32,
}
@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> bodies: array<vec4<f32>>;  // position and mass
@group(0) @binding(2) var<storage, read_write> pulls: array<vec4<f32>>;

@compute @workgroup_size(64)
fn nbody(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  if (i >= shape.count) {
    return;
  }
  let here = bodies[i].xyz;
  var pull = vec3<f32>();
  for (var j = 0u; j < shape.count; j++) {
    let other = bodies[j];
    let towards = other.xyz - here;
    let inverse = inverseSqrt(dot(towards, towards) + shape.softening);
    pull += towards * (other.w * inverse * inverse * inverse);
  }
  pulls[i] = vec4(pull, 0.0);
}
