enable f16;
struct P { pos: vec3f, m: f32, v: vec4f, k: u32 }
struct U { n: u32 }
@group(0) @binding(0) var<storage, read_write> p: array<P>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4f>;
@group(0) @binding(2) var<uniform> u: U;
@group(0) @binding(3) var<storage, read_write> hh: array<vec2h>;
var<private> seed: u32 = 7u;
fn rnd(s: ptr<function, u32>) -> u32 { *s = *s * 1664525u + 1013904223u; return *s >> 8u; }
fn pick(v: vec4f, i: u32) -> f32 { if (i > 3u) { return -2.0; } var a = v; return a[i]; }
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) g: vec3u) {
 let i = g.x; if (i >= u.n) { return; } var s = i + seed; seed += i; var arr: array<f32, 8>; for (var k = 0u; k < 8u; k++) { arr[k] = f32(rnd(&s) & 255u); }
 p[i].pos = p[i].pos.zyx * 2.0; p[i].k = seed; let m = mat3x3f(1,2,3,4,5,6,7,8,9); p[i].v = vec4f(m * p[i].pos, arr[i % 9u]);
 y[i] = vec4f(pick(y[i], i % 6u), arr[rnd(&s) % 11u], f32(s % (i % 7u)), f32(i32(i) / (i32(i % 5u) - 2)));
 hh[i] = hh[i] * hh[i] + vec2h(0.5h, f16(i % 10u)); }
