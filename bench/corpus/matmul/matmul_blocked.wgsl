// sizes: n=64/64/256/1K
// p: uniform n
// a: floats -1 1 n*n
// b: floats -1 1 n*n
// c: output n*n
// groups: n/32 n/32
// tolerance: 1e-4 1e-3
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;
// 32 x 32 elements to a workgroup, 4 x 4 of them to a lane.
var<workgroup> ta: array<array<f32, 33>, 16>;
var<workgroup> tb: array<array<f32, 32>, 16>;
@compute @workgroup_size(8, 8)
fn matmul_blocked(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) l: vec3u,
                  @builtin(local_invocation_index) lane: u32) {
  var s: array<vec4f, 4>;
  for (var first = 0u; first < p.n; first += 16u) {
    for (var i = lane; i < 512u; i += 64u) {
      ta[i % 16u][i / 16u] = a[(group.y * 32u + i / 16u) * p.n + first + i % 16u];
      tb[i / 32u][i % 32u] = b[(first + i / 32u) * p.n + group.x * 32u + i % 32u];
    }
    workgroupBarrier();
    for (var k = 0u; k < 16u; k++) {
      let x = l.x * 4u;
      let right = vec4f(tb[k][x], tb[k][x + 1u], tb[k][x + 2u], tb[k][x + 3u]);
      for (var i = 0u; i < 4u; i++) { s[i] += ta[k][l.y * 4u + i] * right; }
    }
    workgroupBarrier();
  }
  for (var i = 0u; i < 4u; i++) {
    let at = (group.y * 32u + l.y * 4u + i) * p.n + group.x * 32u + l.x * 4u;
    c[at] = s[i].x;
    c[at + 1u] = s[i].y;
    c[at + 2u] = s[i].z;
    c[at + 3u] = s[i].w;
  }
}
