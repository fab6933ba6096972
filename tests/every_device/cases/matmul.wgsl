// elements: 2304
// size: 48,48
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
const T = 16u; const N = 48u;
var<workgroup> ta: array<array<f32, T>, T>; var<workgroup> tb: array<array<f32, T>, T>;
@compute @workgroup_size(16,16) fn main(@builtin(global_invocation_id) g: vec3u, @builtin(local_invocation_id) l: vec3u) {
 var acc = 0.0; for (var t = 0u; t < N / T; t++) { ta[l.y][l.x] = a[g.y*N + t*T + l.x]; tb[l.y][l.x] = b[(t*T+l.y)*N + g.x]; workgroupBarrier();
  for (var k = 0u; k < T; k++) { acc += ta[l.y][k] * tb[k][l.x]; } workgroupBarrier(); }
 c[g.y*N+g.x] = acc; }
