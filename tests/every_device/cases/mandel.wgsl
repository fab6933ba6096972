// elements: 2400
// size: 60,40
@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(16,16) fn main(@builtin(global_invocation_id) g: vec3u) {
 let c = vec2f(f32(g.x)*0.03125-1.5, f32(g.y)*0.0625-1.0); var z = vec2f(0.0); var n = 0u;
 loop { if (n >= 100u || dot(z,z) > 4.0) { break; } z = vec2f(z.x*z.x - z.y*z.y, 2.0*z.x*z.y) + c; n++; }
 y[g.y*60u+g.x] = n; }
@compute @workgroup_size(8,8) fn odd(@builtin(global_invocation_id) g: vec3u) {
 var s = 0u; for (var i = 0u; i < g.x; i++) { if (i % 5u == 2u) { continue; } if (i > 40u) { break; } switch (i & 3u) { case 0u: { s += 1u; } case 1u, 2u: { if (g.y > 3u) { break; } s += 10u; } default: { s ^= i; if (s == 77u) { return; } } } }
 y[g.y*60u+g.x] = s; }
