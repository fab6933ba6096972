#include "twin.h"

struct Through {
  u32 n, k;
};
TWIN(shortest_paths_step, (Through p, u32* d)) {
#ifdef __CUDACC__
  EACH_2D(c, r, p.n, p.n) {
    if (c == p.k || r == p.k) return;
    d[r * p.n + c] = min(d[r * p.n + c], d[r * p.n + p.k] + d[p.k * p.n + c]);
  }
#else
  const u32* __restrict through = d + static_cast<Index>(p.k) * p.n;
#pragma omp parallel for
  for (Index r = 0; r < p.n; ++r) {
    if (r == p.k) continue;
    u32* __restrict row = d + r * p.n;
    const u32 first = row[p.k];
    for (Index c = 0; c < p.n; ++c) row[c] = std::min(row[c], first + through[c]);
    row[p.k] = first;
  }
#endif
}

struct Item {
  u32 n, weight, value;
};
TWIN(knapsack_item, (Item p, const u32* __restrict before, u32* __restrict y)) {
#ifdef __CUDACC__
  EACH(i, p.n) {
    u32 best = before[i];
    if (i >= p.weight) best = max(best, before[i - p.weight] + p.value);
    y[i] = best;
  }
#else
  for (Index i = 0; i < std::min(p.n, p.weight); ++i) y[i] = before[i];
#pragma omp parallel for
  for (Index i = p.weight; i < p.n; ++i) y[i] = std::max(before[i], before[i - p.weight] + p.value);
#endif
}

TWIN(edit_distances, (N p, const u32* __restrict a, const u32* __restrict b, u32* __restrict y)) {
  EACH(w, p.n) {
    u32 row[17];
    for (u32 j = 0; j <= 16; ++j) row[j] = j;
    for (u32 i = 0; i < 16; ++i) {
      u32 diagonal = row[0];
      row[0] = i + 1;
      const u32 letter = b[w * 16 + i];
      for (u32 j = 1; j <= 16; ++j) {
        const u32 replaced = diagonal + (a[j - 1] != letter ? 1 : 0);
        diagonal = row[j];
        const u32 other = (diagonal < row[j - 1] ? diagonal : row[j - 1]) + 1;
        row[j] = replaced < other ? replaced : other;
      }
    }
    y[w] = row[16];
  }
}

TWIN(viterbi_step,
     (N p, const float* __restrict score, const float* __restrict gain, R* __restrict y)) {
#ifdef __CUDACC__
  EACH(i, p.n) {
    float best = -3e38f;
    for (u32 k = 0; k < p.n; ++k) best = fmaxf(best, score[k] + gain[k * p.n + i]);
    y[i] = best;
  }
#else
  constexpr Index kBlock = 64;
#pragma omp parallel for
  for (Index first = 0; first < p.n; first += kBlock) {
    const Index count = std::min<Index>(kBlock, p.n - first);
    R best[kBlock];
    for (R& b : best) b = R(-3e38f);
    for (Index k = 0; k < p.n; ++k) {
      for (Index i = 0; i < count; ++i) {
        const R v = R(score[k]) + gain[k * p.n + first + i];
        best[i] = v > best[i] ? v : best[i];
      }
    }
    for (Index i = 0; i < count; ++i) y[first + i] = best[i];
  }
#endif
}
