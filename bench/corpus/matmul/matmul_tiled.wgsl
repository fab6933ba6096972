// sizes: n=32/64/256/1K
// p: uniform n
// a: floats -1 1 n*n
// b: floats -1 1 n*n
// c: output n*n
// groups: n/16 n/16
// tolerance: 1e-4 1e-3
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;
var<workgroup> ta: array<array<f32, 16>, 16>;
var<workgroup> tb: array<array<f32, 16>, 16>;
@compute @workgroup_size(16, 16)
fn matmul_tiled(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) l: vec3u) {
  var s = 0.0;
  for (var first = 0u; first < p.n; first += 16u) {
    ta[l.y][l.x] = a[id.y * p.n + first + l.x];
    tb[l.y][l.x] = b[(first + l.y) * p.n + id.x];
    workgroupBarrier();
    for (var k = 0u; k < 16u; k++) { s += ta[l.y][k] * tb[k][l.x]; }
    workgroupBarrier();
  }
  c[id.y * p.n + id.x] = s;
}
