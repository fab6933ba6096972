// size: 64
// Minimum, maximum and clamp of zeros with either sign, constant or not: the first of two equal numbers.
enable f16;
@group(0) @binding(0) var<storage, read_write> y: array<u32>;

fn zero(i: u32) -> f32 { return select(0.0, -0.0, (i & 1u) != 0u); }

fn bits(v: f32) -> u32 { return bitcast<u32>(v); }

@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  let a = zero(i);
  let b = bitcast<f32>((i & 2u) << 30u);
  let count = f32(i >> 6u);  // never NaN
  let h = f16(a);
  var all = bits(min(a, b)) ^ (bits(max(a, b)) >> 1u);
  all ^= (bits(min(0.0, b)) >> 2u) ^ (bits(max(0.0, b)) >> 3u) ^ (bits(min(b, 0.0)) >> 4u);
  all ^= (bits(max(b, 0.0)) >> 5u) ^ (bits(min(count, b)) >> 6u) ^ (bits(max(b, count)) >> 7u);
  all ^= (bits(clamp(0.0, -1.0, b)) >> 8u) ^ (bits(clamp(b, 0.0, 1.0)) >> 9u);
  all ^= (bits(f32(min(0.0h, h))) >> 10u) ^ (bits(f32(max(0.0h, h))) >> 11u);
  all ^= (bits(min(vec2f(0.0), vec2f(a, b)).y) >> 12u) ^ (bits(clamp(0.0, 0.0, b)) >> 13u);
  y[i] = all;
}
