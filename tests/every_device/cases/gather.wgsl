@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> ix: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u) { y[g.x] = x[ix[g.x]]; if (ix[g.x] % 3u == 1u) { y[g.x] = -1.0; } }
@compute @workgroup_size(64) fn scat(@builtin(global_invocation_id) g: vec3u) { let k = g.x * 7u % 1009u; if (ix[g.x] > 100u) { y[k] = x[g.x]; } }
