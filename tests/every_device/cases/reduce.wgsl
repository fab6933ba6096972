@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
var<workgroup> s: array<f32, 64>;
fn step(l: u32, d: u32) { if (l < d) { s[l] += s[l+d]; } workgroupBarrier(); }
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u, @builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3u) {
 s[l] = x[g.x]; workgroupBarrier(); for (var d = 32u; d > 0u; d >>= 1u) { step(l, d); } if (l == 0u) { y[w.x] = s[0]; } }
@compute @workgroup_size(64) fn scan(@builtin(global_invocation_id) g: vec3u, @builtin(local_invocation_id) lid: vec3u) {
 let l = lid.x; var v = x[g.x]; s[l] = v; workgroupBarrier();
 for (var d = 1u; d < 64u; d <<= 1u) { var t = 0.0; if (l >= d) { t = s[l-d]; } workgroupBarrier(); v += t; s[l] = v; workgroupBarrier(); }
 if (g.x % 2u == 0u) { return; } y[g.x] = v; }
