// elements: 4000
// size: 80,50
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(16,4) fn main(@builtin(global_invocation_id) g: vec3u) { let w = 80u; let i = g.y * w + g.x; y[i] = 0.2*(x[i] + x[i-1u] + x[i+1u] + x[i-w] + x[i+w]); }
