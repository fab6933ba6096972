struct shape { uint width, height; float rate; };
kernel void stencil(constant struct shape* s, global const float* restrict before,
                    global float* restrict after) {
  const uint x = get_global_id(0), y = get_global_id(1);
  if (x >= s->width || y >= s->height) return;
  const uint i = y * s->width + x;
  const float centre = before[i];
  if (x == 0 || y == 0 || x == s->width - 1 || y == s->height - 1) {
    after[i] = centre;
    return;
  }
  const float around = before[i - 1] + before[i + 1] + before[i - s->width] + before[i + s->width];
  after[i] = centre + s->rate * (around - 4.0f * centre);
}
