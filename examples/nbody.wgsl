// One step of bodies that attract each other, every pair of them.
//
//   vyre run examples/nbody.wgsl --in bodies=fill:random=1:32 --in velocities=fill:zeros:32 \
//       --uniform step.dt=0.01,step.softening=0.1 --print moved:4

struct Step {
  dt: f32,
  softening: f32,  // keeps the force finite where two bodies meet
}

@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<storage, read> bodies: array<vec4<f32>>;  // position and mass
@group(0) @binding(2) var<storage, read_write> velocities: array<vec3<f32>>;
@group(0) @binding(3) var<storage, read_write> moved: array<vec4<f32>>;

// What `other` does to something at `position`.
fn attraction(position: vec3<f32>, other: vec4<f32>) -> vec3<f32> {
  let towards = other.xyz - position;
  let squared = dot(towards, towards) + step.softening * step.softening;
  return towards * (other.w / (squared * sqrt(squared)));
}

@compute @workgroup_size(32)
fn advance(@builtin(global_invocation_id) id: vec3<u32>) {
  let count = arrayLength(&bodies);
  let i = id.x;
  if (i >= count) {
    return;
  }
  let body = bodies[i];
  var acceleration = vec3<f32>();
  for (var j = 0u; j < count; j++) {
    // A body does not attract itself: the distance, and with it the force, is zero.
    acceleration += attraction(body.xyz, bodies[j]);
  }
  let velocity = velocities[i] + acceleration * step.dt;
  velocities[i] = velocity;
  moved[i] = vec4(body.xyz + velocity * step.dt, body.w);
}
