#include "twin.h"

TWIN(half_scale, (const half* __restrict x, half_of<R>* __restrict y, N p)) {
  EACH(i, p.n * 2) y[i] = half_of<R>(R(x[i]) * R(1.5) + R(0.25));
}

TWIN(half_dots, (Rows p, const half* __restrict x, const half* __restrict q, R* __restrict y)) {
  EACH(r, p.rows) {
    R s = 0;
    SIMD_SUM(s)
    for (Index i = 0; i < p.width; ++i) s += R(float(x[r * p.width + i])) * float(q[i]);
    y[r] = s;
  }
}

TWIN(bytes_to_grey, (N p, const u32* __restrict x, R* __restrict y)) {
  EACH(i, p.n) {
    const u32 v = x[i];
    y[i] = (R(v & 255) * R(0.2126) + R(v >> 8 & 255) * R(0.7152) + R(v >> 16 & 255) * R(0.0722)) /
           R(255);
  }
}

TWIN(blend_bytes, (N p, const u32* __restrict a, const u32* __restrict b, u32* __restrict y)) {
  EACH(i, p.n) y[i] = (a[i] | b[i]) - ((a[i] ^ b[i]) >> 1 & 0x7f7f7f7fu);
}

TWIN(quads_scale, (N p, const vec4<float>* __restrict x, vec4<R>* __restrict y)) {
  EACH(i, p.n) {
    const vec4<float> v = x[i];
    const R r = 1 / sqrt(R(v.x) * v.x + R(v.y) * v.y + R(v.z) * v.z + R(v.w) * v.w + R(1e-6));
    y[i] = {v.x * r, v.y * r, v.z * r, v.w * r};
  }
}
