@group(0) @binding(0) var<storage, read_write> out: array<f32>;
const a = 0xa.fp+2; const b = 0x1P+4f; const c = 0X.3; const d = .5e-3; const e = 7.; const f = 1e5f;
const g = 42u; const h = 0xFFi; const i = -2147483647 - 1; const j = 01.5; const k = 9223372036854775807;
const m = mat2x2f(1, 2, 3, 4) * vec2f(5, 6);
const t = select(vec3(1), vec3(2), vec3<bool>(true, false, true));
@compute @workgroup_size(1)
fn main() {
  let fr = frexp(12.5); let mo = modf(vec2(1.5, -2.25));
  out[0] = fr.fract + f32(fr.exp) + mo.whole.y;
  out[1] = dot(vec3f(1, 2, 3), cross(vec3f(1, 0, 0), vec3f(0, 1, 0)));
  out[2] = f32(countOneBits(0xF0u) + extractBits(123u, 2, 3) + firstLeadingBit(8u) + pack4x8unorm(vec4f(0.5)));
  out[3] = bitcast<f32>(0x3f800000u) + unpack2x16float(1u).x + sqrt(abs(-2.0)) * pow(2, 3) % 3;
  out[4] = clamp(fma(1.0, 2.0, 3.0), min(1, 2), max(3, 4)) + smoothstep(0, 1, 0.5);
  out[5] = f32((1 << 3) | (7 & ~2) | (5 ^ 1)) - f32(!true) + f32(all(vec2(1) == vec2(1)));
}
