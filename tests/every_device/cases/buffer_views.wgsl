// size: 70
// elements: 1200
// Views of buffers: all types, offsets that are not aligned or lie outside, and buffers that are
// passed to functions.
requires buffer_view;

struct Part { a: vec3f, b: i32, c: mat2x3f }
struct Tail { n: u32, items: array<vec2i> }

@group(0) @binding(0) var<storage> source: buffer;
@group(0) @binding(1) var<storage, read_write> sink: buffer;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@group(0) @binding(3) var<uniform> fixed: buffer<256>;
var<workgroup> scratch: buffer<1024>;

fn at(p: ptr<storage, buffer>, place: u32) -> u32 {
  return *bufferView<u32>(p, place) + bufferLength(p);
}
fn halved(p: ptr<storage, buffer>, place: i32) -> f32 {
  return dot(*bufferView<vec4f>(p, place), vec4f(1, 0.5, 0.25, 0.125));
}
fn bits(p: ptr<storage, vec4u>, i: i32) -> u32 {
  return (*p)[i] ^ (*p).w;
}
fn many(p: ptr<uniform, array<vec2u>>, i: u32) -> u32 {
  return arrayLength(p) * 1000 + (*p)[i].y;
}
fn first(p: ptr<uniform, buffer<64>>, i: u32) -> u32 {
  return many(bufferView<array<vec2u>>(p, 16), i) + bufferLength(p);
}

// Loads, some of them outside.
@compute @workgroup_size(32)
fn loads(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  let j = i * 67;
  var sum = at(&source, j);
  sum ^= bitcast<u32>(halved(&source, i32(j) - 400));
  let part = *bufferView<Part>(&source, j);
  sum += bitcast<u32>(part.a.y) ^ u32(part.b) ^ bitcast<u32>(part.c[1].z);
  let tail = bufferArrayView<Tail>(&source, i * 64, 8 + (i % 9) * 12);
  sum += tail.n * 3 + arrayLength(&tail.items) + u32(tail.items[i % 7].x);
  sum ^= bits(&bufferView<array<vec4u, 3>>(&source, j)[i % 4], i32(i % 5) - 1);
  sum += first(&fixed, i % 9) + many(bufferArrayView<array<vec2u>>(&fixed, i * 8, 40), i % 6);
  let words = *bufferView<array<u32, 20>>(&source, j & 1023);
  for (var k = 0; k < 20; k++) { sum = sum * 31 + words[k]; }
  out[i] = sum;
}

// Each invocation stores into bytes of its own.
@compute @workgroup_size(32)
fn stores(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = id.x;
  let base = i * 64;
  *bufferView<vec3f>(&sink, base) = vec3f(f32(i), 1.5, -0.25);
  (*bufferView<vec4i>(&sink, base + 16)).zx = vec2i(i32(i), -7);
  bufferView<array<vec2u, 4>>(&sink, base + 32)[i % 5].y = i;
  bufferView<array<i32>>(&sink, base + 48)[2 - i32(i % 4)] += 5;
  *bufferView<mat2x2f>(&sink, 0xffffff00u + i) = mat2x2f(1, 2, 3, 4);  // outside
  if i == 69 {
    let block = bufferView<array<f32, 12>>(&sink, 4480 + 16);
    *block = array<f32, 12>(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
  }
  *bufferView<vec2u>(&scratch, lane * 8) = vec2u(i, i * i);
  workgroupBarrier();
  let all = bufferView<array<u32>>(&scratch, 0);
  let leader = workgroupUniformLoad(bufferView<vec2u>(&scratch, 24));
  out[i] = arrayLength(all) + all[(lane * 7) & 63] + leader.x * 100000 + leader.y + lane;
}
