// sizes: n=128/256/2K/16K
// p: uniform n 0.01
// bodies: floats 0.1 1 n*4
// y: output n*4
// groups: n/128
// tolerance: 1e-3 0.05
struct P { n: u32, soft: f32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> bodies: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4f>;
var<workgroup> tile: array<vec4f, 128>;
@compute @workgroup_size(128)
fn all_pairs_tiled(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32) {
  let here = bodies[id.x].xyz;
  var pull = vec3f();
  for (var first = 0u; first < p.n; first += 128u) {
    tile[l] = bodies[first + l];
    workgroupBarrier();
    for (var j = 0u; j < 128u; j++) {
      let other = tile[j];
      let d = other.xyz - here;
      let r = inverseSqrt(dot(d, d) + p.soft);
      pull += d * (other.w * r * r * r);
    }
    workgroupBarrier();
  }
  y[id.x] = vec4f(pull, 0.0);
}
