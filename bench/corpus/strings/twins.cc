#include "twin.h"

TWIN(find_word, (N p, const u32* __restrict text, u32* __restrict y)) {
  EACH(i, p.n) {
    const u32 low = text[i], high = text[i + 1], word = 0x63616261;
    y[i] = u32(low == word) | u32((low >> 8 | high << 24) == word) << 1 |
           u32((low >> 16 | high << 16) == word) << 2 | u32((low >> 24 | high << 8) == word) << 3;
  }
}

TWIN(upper_case, (N p, const u32* __restrict text, u32* __restrict y)) {
#ifdef __CUDACC__
  EACH(i, p.n) {
    const u32 v = text[i];
    u32 r = 0;
    for (u32 b = 0; b < 32; b += 8) {
      const u32 c = v >> b & 255;
      r |= (c >= 97 && c <= 122 ? c - 32 : c) << b;
    }
    y[i] = r;
  }
#else
  const auto* __restrict in = reinterpret_cast<const unsigned char*>(text);
  auto* __restrict out = reinterpret_cast<unsigned char*>(y);
  EACH(i, p.n * 4) out[i] = in[i] >= 'a' && in[i] <= 'z' ? in[i] - 32 : in[i];
#endif
}

TWIN(line_lengths, (N p, const u32* __restrict text, u32* __restrict y)) {
#ifdef __CUDACC__
  EACH(i, p.n) {
    u32 length = 0;
    for (; length < 128; ++length) {
      const u32 at = i * 128 + length;
      if ((text[at / 4] >> at % 4 * 8 & 255) == 't') break;
    }
    y[i] = length;
  }
#else
  EACH(i, p.n) {
    const char* line = reinterpret_cast<const char*>(text) + i * 128;
    y[i] = static_cast<u32>(std::find(line, line + 128, 't') - line);
  }
#endif
}
