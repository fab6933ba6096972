#include "twin.h"

TWIN(spmv_rows, (N p, const u32* __restrict starts, const u32* __restrict columns,
                 const float* __restrict values, const float* __restrict x, R* __restrict y)) {
  EACH(r, p.n) {
    R s = 0;
    for (u32 k = starts[r]; k < starts[r + 1]; ++k) s += R(values[k]) * x[columns[k]];
    y[r] = s;
  }
}

struct Ell {
  u32 rows, each;
};
TWIN(spmv_ell, (Ell p, const u32* __restrict columns, const float* __restrict values,
                const float* __restrict x, R* __restrict y)) {
#ifdef __CUDACC__
  EACH(r, p.rows) {
    float s = 0;
    for (u32 k = 0; k < p.each; ++k) s += values[k * p.rows + r] * x[columns[k * p.rows + r]];
    y[r] = s;
  }
#else
  constexpr Index kBlock = 64;
#pragma omp parallel for
  for (Index first = 0; first < p.rows; first += kBlock) {
    const Index count = std::min<Index>(kBlock, p.rows - first);
    R s[kBlock] = {};
    for (Index k = 0; k < p.each; ++k) {
      const Index at = k * p.rows + first;
      for (Index r = 0; r < count; ++r) s[r] += R(values[at + r]) * x[columns[at + r]];
    }
    for (Index r = 0; r < count; ++r) y[first + r] = s[r];
  }
#endif
}

TWIN(graph_degrees, (N p, const u32* __restrict sources, u32* __restrict degrees)) {
  EACH(i, p.n) add_atomically(&degrees[sources[i]], 1);
}
