// sizes: width=20/64/320/1920 height=11/48/180/1080 limit=16/64/64/256
// p: uniform width height limit
// y: output width*height
// run: width height
struct P { width: u32, height: u32, limit: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
// Of a map of whole numbers, so that every device counts the same.
@compute @workgroup_size(16, 8) fn escape_times(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.width || id.y >= p.height) { return; }
  let cx = i32(id.x * 12288u / p.width) - 8192;
  let cy = i32(id.y * 8192u / p.height) - 4096;
  var x = 0;
  var y2 = 0;
  var count = 0u;
  while (count < p.limit && x * x + y2 * y2 <= 67108864) {
    let next = ((x * x - y2 * y2) >> 12u) + cx;
    y2 = ((2 * x * y2) >> 12u) + cy;
    x = next;
    count++;
  }
  y[id.y * p.width + id.x] = count;
}
