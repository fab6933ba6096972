// How many rounds z = z*z + c takes to leave a circle of radius 2, for each pixel of an image.
//
//   vyre run examples/mandelbrot.wgsl --size 64,32 --out rounds=rounds.npy \
//       --uniform view.corner=-2:-1,view.pixel=0.046875,view.width=64,view.limit=100

struct View {
  corner: vec2<f32>,  // c of the first pixel
  pixel: f32,         // distance between two pixels
  width: u32,         // pixels in a row
  limit: u32,         // rounds before a point counts as inside
}

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read_write> rounds: array<u32>;

fn rounds_to_leave(c: vec2<f32>) -> u32 {
  var z = vec2<f32>();
  var round = 0u;
  loop {
    if (round >= view.limit || dot(z, z) > 4.0) {
      break;
    }
    z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
    continuing {
      round++;
    }
  }
  return round;
}

@compute @workgroup_size(8, 8)
fn mandelbrot(@builtin(global_invocation_id) id: vec3<u32>) {
  let c = view.corner + vec2<f32>(id.xy) * view.pixel;
  rounds[id.y * view.width + id.x] = rounds_to_leave(c);
}
