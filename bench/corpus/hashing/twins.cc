#include "twin.h"

TWIN(mix_words, (N p, const u32* __restrict x, u32* __restrict y)) {
  EACH(i, p.n) {
    u32 h = x[i];
    h ^= h >> 16;
    h *= 0x85ebca6b;
    h ^= h >> 13;
    h *= 0xc2b2ae35;
    h ^= h >> 16;
    y[i] = h;
  }
}

TWIN(xorshift_rounds, (N p, const u32* __restrict x, u32* __restrict y)) {
  EACH(i, p.n) {
    u32 v = x[i] | 1;
    for (u32 round = 0; round < 64; ++round) {
      v ^= v << 13;
      v ^= v >> 17;
      v ^= v << 5;
    }
    y[i] = v;
  }
}

TWIN(crc_table, (N p, const u32* __restrict x, const u32* __restrict table, u32* __restrict y)) {
  EACH(i, p.n) {
    u32 c = 0xffffffff;
    for (u32 k = 0; k < 4; ++k) {
      const u32 v = x[i * 4 + k];
      for (u32 b = 0; b < 32; b += 8) c = table[(c ^ v >> b) & 255] ^ c >> 8;
    }
    y[i] = ~c;
  }
}

TWIN(power_modulo, (N p, const u32* __restrict x, u32* __restrict y)) {
  EACH(i, p.n) {
    u32 base = x[i], r = 1;
    for (u32 e = 65519; e > 0; e >>= 1) {
      if ((e & 1) == 1) r = r * base % 65521;
      base = base * base % 65521;
    }
    y[i] = r;
  }
}

static HOST_AND_DEVICE u32 turn(u32 v, u32 n) { return v << n | v >> (32 - n); }
TWIN(chacha_rounds, (N p, u32* __restrict y)) {
  EACH(i, p.n) {
    u32 a = 0x61707865, b = u32(i), c = 0x3320646e, d = u32(i) * 0x9e3779b9;
    for (u32 round = 0; round < 20; ++round) {
      a += b, d = turn(d ^ a, 16);
      c += d, b = turn(b ^ c, 12);
      a += b, d = turn(d ^ a, 8);
      c += d, b = turn(b ^ c, 7);
    }
    y[i * 4] = a;
    y[i * 4 + 1] = b;
    y[i * 4 + 2] = c;
    y[i * 4 + 3] = d;
  }
}
