// Edges of a picture: grey, smoothed, the length of the gradient, and a histogram of it.
struct View { width: u32, height: u32 }

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> image: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> src: array<f32>;
@group(0) @binding(3) var<storage, read_write> dst: array<f32>;
@group(0) @binding(4) var<storage, read_write> counts: array<atomic<u32>>;

override GAIN: f32 = 1.0;

fn place(x: u32, y: u32) -> u32 { return y * view.width + x; }

// The nearest pixel inside.
fn pixel(x: i32, y: i32) -> f32 {
  let cx = clamp(x, 0, i32(view.width) - 1);
  let cy = clamp(y, 0, i32(view.height) - 1);
  return src[place(u32(cx), u32(cy))];
}

@compute @workgroup_size(16, 16)
fn grey(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= view.width || id.y >= view.height) { return; }
  let colour = image[place(id.x, id.y)];
  dst[place(id.x, id.y)] = dot(colour.rgb, vec3<f32>(0.2126, 0.7152, 0.0722));
}

@compute @workgroup_size(16, 16)
fn smooth_(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= view.width || id.y >= view.height) { return; }
  let p = vec2<i32>(id.xy);
  var sum = 0.0;
  for (var dy = -1; dy <= 1; dy += 1) {
    for (var dx = -1; dx <= 1; dx += 1) {
      sum += pixel(p.x + dx, p.y + dy);
    }
  }
  dst[place(id.x, id.y)] = sum / 9.0;
}

@compute @workgroup_size(16, 16)
fn sobel(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= view.width || id.y >= view.height) { return; }
  let p = vec2<i32>(id.xy);
  let a = pixel(p.x - 1, p.y - 1);
  let b = pixel(p.x + 1, p.y - 1);
  let c = pixel(p.x - 1, p.y + 1);
  let d = pixel(p.x + 1, p.y + 1);
  let gx = b + 2.0 * pixel(p.x + 1, p.y) + d - a - 2.0 * pixel(p.x - 1, p.y) - c;
  let gy = c + 2.0 * pixel(p.x, p.y + 1) + d - a - 2.0 * pixel(p.x, p.y - 1) - b;
  dst[place(id.x, id.y)] = sqrt(gx * gx + gy * gy);
}

@compute @workgroup_size(16, 16)
fn contrast(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= view.width || id.y >= view.height) { return; }
  let at = place(id.x, id.y);
  dst[at] = clamp(src[at] * GAIN, 0.0, 1.0);
}

@compute @workgroup_size(16, 16)
fn histogram(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= view.width || id.y >= view.height) { return; }
  let bin = u32(src[place(id.x, id.y)] * f32(arrayLength(&counts)));
  atomicAdd(&counts[min(bin, arrayLength(&counts) - 1)], 1);
}
