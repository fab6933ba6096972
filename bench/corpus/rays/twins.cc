#include "twin.h"

struct Image {
  u32 width, height, limit;
};

template <class R>
static HOST_AND_DEVICE R sphere(R x, R y, R z, R cx, R cy, R cz, R radius) {
  const R dx = x - cx, dy = y - cy, dz = z - cz;
  return sqrt(dx * dx + dy * dy + dz * dz) - radius;
}
TWIN(march_spheres, (Grid p, R* __restrict y)) {
  EACH_2D(i, j, p.width, p.height) {
    const R u = (R(i) - R(0.5) * p.width) / p.height, v = R(j) / p.height - R(0.5);
    const R scale = 1 / sqrt(u * u + v * v + 1);
    R t = 0;
    for (u32 round = 0; round < 48; ++round) {
      const R a = sphere<R>(u * scale * t, v * scale * t, scale * t, 0, 0, 4, 1);
      const R b = sphere<R>(u * scale * t, v * scale * t, scale * t, R(1.5), R(0.5), 5, R(0.7));
      const R near = a < b ? a : b;
      t += R(0.9) * (near < R(0.5) ? near : R(0.5));
    }
    y[j * p.width + i] = t;
  }
}

TWIN(escape_times, (Image p, u32* __restrict y)) {
  EACH_2D(i, j, p.width, p.height) {
    const i32 cx = i32(u32(i) * 12288 / p.width) - 8192, cy = i32(u32(j) * 8192 / p.height) - 4096;
    i32 a = 0, b = 0;
    u32 count = 0;
    while (count < p.limit && a * a + b * b <= 67108864) {
      const i32 next = ((a * a - b * b) >> 12) + cx;
      b = (2 * a * b >> 12) + cy;
      a = next;
      ++count;
    }
    y[j * p.width + i] = count;
  }
}

struct Discs {
  u32 n, m;
};
TWIN(soft_discs, (Discs p, const vec2<float>* __restrict rays, const vec4<float>* __restrict discs,
                  R* __restrict y)) {
  EACH(i, p.n) {
    const vec2<float> at = rays[i];
    R light = 0, left = 1;
    for (u32 k = 0; k < p.m; ++k) {
      const vec4<float> disc = discs[k];
      const R dx = R(at.x) - disc.x, dy = R(at.y) - disc.y, cover = disc.z - (dx * dx + dy * dy);
      if (cover > 0) {
        light += left * cover * disc.w;
        left *= 1 - cover;
      }
    }
    y[i] = light;
  }
}
