@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;
struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat) c: vec2f }
@vertex fn vs(@builtin(vertex_index) i: u32) -> V { var v: V; return v; }
@fragment fn fs(v: V) -> @location(0) vec4f { if v.c.x < 0 { discard; } return textureSample(t, s, v.c); }
@compute @workgroup_size(1) fn cs() { }
