// sizes: n=100/1K/16K/512K m=16/64/64/64
// p: uniform n m
// rays: floats -1 1 n*2
// discs: floats 0 1 m*4
// y: output n
// run: n
// tolerance: 1e-4 1e-4
struct P { n: u32, m: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> rays: array<vec2f>;
@group(0) @binding(2) var<storage, read> discs: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
// What a ray sees of discs that fade towards their edges: the nearer ones hide the others.
@compute @workgroup_size(64) fn soft_discs(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  let at = rays[id.x];
  var light = 0.0;
  var left = 1.0;
  for (var i = 0u; i < p.m; i++) {
    let disc = discs[i];
    let d = at - disc.xy;
    let cover = max(0.0, disc.z - dot(d, d));
    if (cover > 0.0) {
      light += left * cover * disc.w;
      left *= 1.0 - cover;
    }
  }
  y[id.x] = light;
}
