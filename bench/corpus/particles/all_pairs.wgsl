// sizes: n=64/256/2K/16K
// p: uniform n 0.01
// bodies: floats 0.1 1 n*4
// y: output n*4
// run: n
// tolerance: 1e-3 0.05
struct P { n: u32, soft: f32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> bodies: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4f>;
@compute @workgroup_size(64) fn all_pairs(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  let here = bodies[id.x].xyz;
  var pull = vec3f();
  for (var j = 0u; j < p.n; j++) {
    let other = bodies[j];
    let d = other.xyz - here;
    let r = inverseSqrt(dot(d, d) + p.soft);
    pull += d * (other.w * r * r * r);
  }
  y[id.x] = vec4f(pull, 0.0);
}
