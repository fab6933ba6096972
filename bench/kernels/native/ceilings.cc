// Vectorised by hand with the compiler's vector types: as fast as these kernels get in C++ without
// changing what they compute.
#include <immintrin.h>

#include <cmath>
#include <cstring>

#include "native.h"

namespace vyre::bench {
namespace {

#ifdef __AVX512F__
constexpr int kLanes = 16;
#else
constexpr int kLanes = 8;
#endif
using Floats [[gnu::vector_size(kLanes * 4)]] = float;
using Words [[gnu::vector_size(kLanes * 4)]] = std::int32_t;

template <class T>
T* at(NativeBuffers b, int i) {
  return reinterpret_cast<T*>(b.data[i]);
}

Floats load(const float* from) {
  Floats v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
void store(float* to, Floats v) { std::memcpy(to, &v, sizeof v); }

Floats root(Floats v) {
  Floats out;
  for (int l = 0; l < kLanes; ++l) out[l] = std::sqrt(v[l]);
  return out;
}

// The one thing that vector types do not spell.
bool any(Words lanes) {
#ifdef __AVX512F__
  const auto v = reinterpret_cast<__m512i>(lanes);
  return _mm512_test_epi32_mask(v, v) != 0;
#elifdef __AVX2__
  return _mm256_movemask_ps(reinterpret_cast<__m256>(lanes)) != 0;
#else
  std::int32_t bits = 0;
  for (int l = 0; l < kLanes; ++l) bits |= lanes[l];
  return bits != 0;
#endif
}

}  // namespace

void ceiling_matmul(NativeBuffers b) {
  constexpr std::int64_t kTile = 16;
  const std::int64_t n = at<MatmulShape>(b, 0)->size;
  const float* __restrict left = at<float>(b, 1);
  const float* __restrict right = at<float>(b, 2);
  float* __restrict product = at<float>(b, 3);
  constexpr std::int64_t kParts = kTile / kLanes;
  // As many rows as there are registers for their sums.
  constexpr std::int64_t kRows = kParts == 1 ? 16 : 4;
#pragma omp parallel for collapse(2)
  for (std::int64_t row = 0; row < n; row += kTile) {
    for (std::int64_t column = 0; column < n; column += kTile) {
      alignas(64) float tile_a[kTile][kTile], tile_b[kTile][kTile], out[kTile][kTile] = {};
      for (std::int64_t first = 0; first < n; first += kTile) {
        for (std::int64_t i = 0; i < kTile; ++i) {
          std::memcpy(tile_a[i], left + (row + i) * n + first, sizeof tile_a[i]);
          std::memcpy(tile_b[i], right + (first + i) * n + column, sizeof tile_b[i]);
        }
        for (std::int64_t top = 0; top < kTile; top += kRows) {
          Floats sum[kRows][kParts];
          for (std::int64_t i = 0; i < kRows; ++i) {
            for (std::int64_t part = 0; part < kParts; ++part) {
              sum[i][part] = load(&out[top + i][part * kLanes]);
            }
          }
          for (std::int64_t k = 0; k < kTile; ++k) {
            for (std::int64_t part = 0; part < kParts; ++part) {
              const Floats line = load(&tile_b[k][part * kLanes]);
              for (std::int64_t i = 0; i < kRows; ++i) sum[i][part] += tile_a[top + i][k] * line;
            }
          }
          for (std::int64_t i = 0; i < kRows; ++i) {
            for (std::int64_t part = 0; part < kParts; ++part) {
              store(&out[top + i][part * kLanes], sum[i][part]);
            }
          }
        }
      }
      for (std::int64_t i = 0; i < kTile; ++i) {
        std::memcpy(product + (row + i) * n + column, out[i], sizeof out[i]);
      }
    }
  }
}

void ceiling_nbody(NativeBuffers b) {
  const NbodyShape s = *at<NbodyShape>(b, 0);
  const float* __restrict bodies = at<float>(b, 1);
  float* __restrict pulls = at<float>(b, 2);
  const std::int64_t n = s.count;  // a multiple of the lanes
#pragma omp parallel for
  for (std::int64_t i = 0; i < n; i += kLanes) {
    Floats x, y, z;
    for (int l = 0; l < kLanes; ++l) {
      x[l] = bodies[4 * (i + l)];
      y[l] = bodies[4 * (i + l) + 1];
      z[l] = bodies[4 * (i + l) + 2];
    }
    Floats px = {}, py = {}, pz = {};
    for (std::int64_t j = 0; j < n; ++j) {
      const Floats dx = bodies[4 * j] - x, dy = bodies[4 * j + 1] - y, dz = bodies[4 * j + 2] - z;
      const Floats inverse = 1.0F / root(dx * dx + dy * dy + dz * dz + s.softening);
      const Floats pull = bodies[4 * j + 3] * inverse * inverse * inverse;
      px += dx * pull;
      py += dy * pull;
      pz += dz * pull;
    }
    for (int l = 0; l < kLanes; ++l) {
      pulls[4 * (i + l)] = px[l];
      pulls[4 * (i + l) + 1] = py[l];
      pulls[4 * (i + l) + 2] = pz[l];
      pulls[4 * (i + l) + 3] = 0;
    }
  }
}

void ceiling_mandelbrot(NativeBuffers b) {
  const MandelbrotShape s = *at<MandelbrotShape>(b, 0);
  std::uint32_t* __restrict rounds = at<std::uint32_t>(b, 1);
#pragma omp parallel for schedule(dynamic, 4)
  for (std::uint32_t row = 0; row < s.height; ++row) {
    const float cy_all = s.top + static_cast<float>(row) * s.pixel;
    for (std::uint32_t column = 0; column < s.width; column += kLanes) {
      Floats cx;
      for (int l = 0; l < kLanes; ++l) {
        cx[l] = s.left + static_cast<float>(column + static_cast<std::uint32_t>(l)) * s.pixel;
      }
      const Floats cy = Floats{} + cy_all;
      Floats x = {}, y = {};
      Words round = {};
      for (std::uint32_t r = 0; r < s.limit; ++r) {
        const Words inside = x * x + y * y <= 4.0F;
        if (!any(inside)) break;
        // Lanes that left run on: nothing of them is used any more but their rounds.
        round -= inside;
        const Floats next = x * x - y * y + cx;
        y = 2.0F * x * y + cy;
        x = next;
      }
      std::memcpy(rounds + std::size_t{row} * s.width + column, &round, sizeof round);
    }
  }
}

}  // namespace vyre::bench
