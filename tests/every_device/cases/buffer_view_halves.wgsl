// size: 70
// elements: 2400
// Views that need steps of two bytes.
enable f16;
requires buffer_view;

@group(0) @binding(0) var<storage> source: buffer;
@group(0) @binding(1) var<storage, read_write> sink: buffer;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
var<workgroup> scratch: buffer<130>;

struct Mixed { a: f16, b: u32, c: vec3h, d: vec2f }

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = id.x;
  let halves = bufferView<array<f16>>(&source, i * 2);
  let word = *bufferView<u32>(&source, i * 66);
  let mixed = *bufferView<Mixed>(&source, i * 32);
  bufferView<array<u32>>(&sink, 0)[i] = word ^ mixed.b;
  let place = 400 + i * 32;
  *bufferView<Mixed>(&sink, place) = Mixed(halves[i], word, mixed.c.zyx, mixed.d);
  bufferView<array<f16>>(&scratch, 0)[lane + 1] = halves[3] + halves[lane * 40];
  workgroupBarrier();
  out[i] = bufferLength(&scratch) + arrayLength(halves) +
           (*bufferView<u32>(&scratch, (lane / 2) * 4));
}
