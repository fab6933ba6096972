#include "twin.h"

static HOST_AND_DEVICE u32 next(u32& state) {
  state = state * 747796405 + 2891336453;
  const u32 word = (state >> ((state >> 28) + 4) ^ state) * 277803737;
  return word >> 22 ^ word;
}

TWIN(random_words, (N p, u32* __restrict y)) {
  EACH(i, p.n) {
    u32 s = u32(i);
    y[i] = next(s);
  }
}

TWIN(normal_pairs, (N p, vec2<R>* __restrict y)) {
  EACH(i, p.n) {
    u32 s = u32(i) * 3;
    const R u = (R(next(s) >> 8) + 1) / 16777216, v = R(next(s) >> 8) / 16777216;
    const R r = sqrt(-2 * log(u));
    y[i] = {r * cos(R(6.2831853) * v), r * sin(R(6.2831853) * v)};
  }
}

TWIN(count_in_circle, (N p, u32* __restrict y)) {
  EACH(i, p.n) {
    u32 s = u32(i) * 977, inside = 0;
    for (u32 k = 0; k < 100; ++k) {
      const u32 a = next(s) >> 17, b = next(s) >> 17;
      inside += a * a + b * b < 1073741824;
    }
    y[i] = inside;
  }
}

TWIN(philox_words, (N p, u32* __restrict y)) {
  EACH(i, p.n) {
    u32 c0 = u32(i), c1 = 0, key = 0xd256d193;
    for (u32 round = 0; round < 10; ++round) {
      const u32 high = high_product(0xd256d193, c0), low = 0xd256d193 * c0;
      c0 = high ^ key ^ c1;
      c1 = low;
      key += 0x9e3779b9;
    }
    y[i * 2] = c0;
    y[i * 2 + 1] = c1;
  }
}
