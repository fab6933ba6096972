// sizes: width=20/64/320/1920 height=11/48/180/1080
// p: uniform width height
// y: output width*height
// run: width height
// tolerance: 0.02 0.05
struct P { width: u32, height: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
// How far a ray goes before it meets one of two spheres, by steps of the distance to both.
fn distance_at(at: vec3f) -> f32 {
  return min(length(at - vec3f(0.0, 0.0, 4.0)) - 1.0, length(at - vec3f(1.5, 0.5, 5.0)) - 0.7);
}
@compute @workgroup_size(8, 8) fn march_spheres(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.width || id.y >= p.height) { return; }
  let u = (f32(id.x) - 0.5 * f32(p.width)) / f32(p.height);
  let v = f32(id.y) / f32(p.height) - 0.5;
  let towards = normalize(vec3f(u, v, 1.0));
  var t = 0.0;
  for (var i = 0; i < 48; i++) {
    t += 0.9 * min(distance_at(towards * t), 0.5);
  }
  y[id.y * p.width + id.x] = t;
}
