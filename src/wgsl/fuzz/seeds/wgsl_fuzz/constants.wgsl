enable f16;
const a = (1 << 4) | 3;
const b = vec3(a, 2.5, 3).zyx;
const c = array(mat2x2(1, 2, 3, 4), mat2x2<f32>());
const d = c[0] * vec2(1.5, 2);
const e = frexp(1.5).exp + i32(modf(2.5).whole);
const f: f16 = 1.5h + f16(a);
const g = S(1, vec2(2), array(true, false));
const h = bitcast<u32>(1.0f) >> 3u;
const_assert e > 0 && h != 0 && !g.c[1];
struct S { a: i32, b: vec2<f32>, c: array<bool, 2> }
override k: u32 = 4;
@id(3) override l = f32(k * 2) + 0.5;
var<workgroup> w: array<atomic<u32>, k + 1>;
var<private> m: mat3x2<f32> = mat3x2(1, 2, 3, 4, 5, l);
@compute @workgroup_size(k, 1)
fn main(@builtin(local_invocation_index) i: u32, @builtin(global_invocation_index) j: u32) {
  switch i32(i) { case e, 9: { m[1].y = dot(b, b); } default { m *= 2; } }
  atomicAdd(&w[i], pack4xU8(vec4(i)) + j);
  let r = atomicCompareExchangeWeak(&w[0], 1u, 2u);
  if r.exchanged { m[0] = m[1] + vec2(f32(f), refract(vec2(1.0), vec2f(l), 0.5).x); }
  workgroupBarrier();
}
