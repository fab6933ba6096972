@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u) { let i = g.x; if (i < arrayLength(&y)) { y[i] = 2.5 * x[i] + y[i]; } }
@compute @workgroup_size(64) fn early(@builtin(global_invocation_id) g: vec3u) { let i = g.x; if (i >= arrayLength(&y)) { return; } y[i] = 2.5 * x[i] + y[i]; }
@compute @workgroup_size(48) fn bare(@builtin(global_invocation_id) g: vec3u) { y[g.x] = x[g.x+1u] - x[g.x-1u]; }
@compute @workgroup_size(7) fn ids(@builtin(global_invocation_id) g: vec3u, @builtin(local_invocation_id) l: vec3u, @builtin(workgroup_id) w: vec3u) { y[g.x] = f32(l.x) + f32(w.x)*100.0; }
