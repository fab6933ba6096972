// sizes: n=100/4K/128K/4M
// p: uniform n
// bodies: output floats -1 1 n*8
// run: n
// tolerance: 1e-5 1e-5
struct P { n: u32 }
struct Body { place: vec3f, mass: f32, speed: vec3f, age: f32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read_write> bodies: array<Body>;
@compute @workgroup_size(64) fn move_bodies(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  var b = bodies[id.x];
  b.speed -= 0.01 * b.place * b.mass;
  b.place += 0.01 * b.speed;
  b.age += 0.01;
  bodies[id.x] = b;
}
