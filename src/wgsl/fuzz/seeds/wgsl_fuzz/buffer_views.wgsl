enable f16;
requires buffer_view;
override n: u32 = 8;
struct Tail { a: vec3f, rest: array<vec2<u32>> }
alias Bytes = buffer<256>;
@group(0) @binding(0) var<storage, read_write> s: buffer;
@group(0) @binding(1) var<uniform> u: Bytes;
var<workgroup> w: buffer<n * 16>;
fn many(p: ptr<uniform, array<vec2u>>, i: u32) -> u32 { return arrayLength(p) * (*p)[i].y; }
fn first(p: ptr<uniform, buffer<64>>, i: u32) -> u32 {
  return many(bufferArrayView<array<vec2u>>(p, i & 24, 32), i) + bufferLength(p);
}
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
  let tail = bufferView<Tail>(&s, i * 32 + n);
  tail.rest[i] += vec2(first(&u, i), arrayLength(&tail.rest));
  *bufferView<vec3h>(&w, i * 16) = vec3h(1);
  workgroupBarrier();
  let p = bufferView<array<mat2x2f, 3>>(&s, i32(i) - 4);
  (*p)[1] = *bufferView<mat2x2f>(&u, 16);
  (*bufferView<vec4i>(&s, 0)).zx = vec2(i32(workgroupUniformLoad(bufferView<u32>(&w, 4))));
}
