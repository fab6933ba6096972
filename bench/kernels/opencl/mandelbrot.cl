struct shape { float left, top, pixel; uint width, limit; };
kernel void mandelbrot(constant struct shape* s, global uint* restrict rounds) {
  const uint column = get_global_id(0), row = get_global_id(1);
  const float cx = s->left + (float)column * s->pixel;
  const float cy = s->top + (float)row * s->pixel;
  float x = 0.0f, y = 0.0f;
  uint round = 0;
  while (round < s->limit && x * x + y * y <= 4.0f) {
    const float next = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = next;
    ++round;
  }
  rounds[row * s->width + column] = round;
}
