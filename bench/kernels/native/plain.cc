// Loops as a C++ programmer writes them, for the compiler to vectorise.
#include <omp.h>

#include <cmath>
#include <vector>

#include "native.h"

namespace vyre::bench {
namespace {
template <class T>
T* at(NativeBuffers b, int i) {
  return reinterpret_cast<T*>(b.data[i]);
}
template <class T>
std::int64_t count(NativeBuffers b, int i) {
  return static_cast<std::int64_t>(b.bytes[i] / sizeof(T));
}
constexpr std::int64_t kBlock = 256;
}  // namespace

void set_native_threads(unsigned threads) { omp_set_num_threads(static_cast<int>(threads)); }

void native_empty_loop(int* touched) {
#pragma omp parallel for
  for (int i = 0; i < 1; ++i) *touched += 1;
}

void plain_saxpy(NativeBuffers b) {
  const SaxpyShape shape = *at<SaxpyShape>(b, 0);
  const float* __restrict x = at<float>(b, 1);
  const float* __restrict y = at<float>(b, 2);
  float* __restrict z = at<float>(b, 3);
  const std::int64_t n = shape.n;
#pragma omp parallel for
  for (std::int64_t i = 0; i < n; ++i) z[i] = shape.a * x[i] + y[i];
}

void plain_stencil(NativeBuffers b) {
  const StencilShape s = *at<StencilShape>(b, 0);
  const float* __restrict before = at<float>(b, 1);
  float* __restrict after = at<float>(b, 2);
  const std::int64_t width = s.width, height = s.height;
#pragma omp parallel for
  for (std::int64_t y = 0; y < height; ++y) {
    const float* __restrict row = before + y * width;
    float* __restrict out = after + y * width;
    if (y == 0 || y == height - 1) {
      for (std::int64_t x = 0; x < width; ++x) out[x] = row[x];
      continue;
    }
    out[0] = row[0];
    for (std::int64_t x = 1; x < width - 1; ++x) {
      const float around = row[x - 1] + row[x + 1] + row[x - width] + row[x + width];
      out[x] = row[x] + s.rate * (around - 4.0F * row[x]);
    }
    out[width - 1] = row[width - 1];
  }
}

void plain_gather(NativeBuffers b) {
  const float* __restrict table = at<float>(b, 0);
  const std::uint32_t* __restrict indices = at<std::uint32_t>(b, 1);
  float* __restrict picked = at<float>(b, 2);
  const std::int64_t n = count<float>(b, 2);
#pragma omp parallel for
  for (std::int64_t i = 0; i < n; ++i) picked[i] = table[indices[i]];
}

void plain_spmv(NativeBuffers b) {
  const std::uint32_t* __restrict starts = at<std::uint32_t>(b, 0);
  const std::uint32_t* __restrict columns = at<std::uint32_t>(b, 1);
  const float* __restrict values = at<float>(b, 2);
  const float* __restrict x = at<float>(b, 3);
  float* __restrict y = at<float>(b, 4);
  const std::int64_t rows = count<float>(b, 4);
#pragma omp parallel for
  for (std::int64_t row = 0; row < rows; ++row) {
    float sum = 0;
    for (std::uint32_t k = starts[row]; k < starts[row + 1]; ++k) sum += values[k] * x[columns[k]];
    y[row] = sum;
  }
}

void plain_matmul(NativeBuffers b) {
  const std::int64_t n = at<MatmulShape>(b, 0)->size;
  const float* __restrict left = at<float>(b, 1);
  const float* __restrict right = at<float>(b, 2);
  float* __restrict product = at<float>(b, 3);
  constexpr std::int64_t kTile = 16;
#pragma omp parallel for collapse(2)
  for (std::int64_t row = 0; row < n; row += kTile) {
    for (std::int64_t column = 0; column < n; column += kTile) {
      float sum[kTile][kTile] = {};
      for (std::int64_t k = 0; k < n; ++k) {
        for (std::int64_t i = 0; i < kTile; ++i) {
          for (std::int64_t j = 0; j < kTile; ++j) {
            sum[i][j] += left[(row + i) * n + k] * right[k * n + column + j];
          }
        }
      }
      for (std::int64_t i = 0; i < kTile; ++i) {
        for (std::int64_t j = 0; j < kTile; ++j) {
          product[(row + i) * n + column + j] = sum[i][j];
        }
      }
    }
  }
}

void plain_reduction(NativeBuffers b) {
  const float* __restrict values = at<float>(b, 0);
  float* __restrict sums = at<float>(b, 1);
  const std::int64_t blocks = count<float>(b, 1);
#pragma omp parallel for
  for (std::int64_t block = 0; block < blocks; ++block) {
    // Sixteen sums side by side, so that the order of additions allows vectors.
    float part[16] = {};
    for (std::int64_t i = 0; i < kBlock; i += 16) {
      for (std::int64_t l = 0; l < 16; ++l) part[l] += values[block * kBlock + i + l];
    }
    float sum = 0;
    for (const float p : part) sum += p;
    sums[block] = sum;
  }
}

void plain_scan(NativeBuffers b) {
  const std::uint32_t* __restrict values = at<std::uint32_t>(b, 0);
  std::uint32_t* __restrict sums = at<std::uint32_t>(b, 1);
  const std::int64_t blocks = count<std::uint32_t>(b, 1) / kBlock;
#pragma omp parallel for
  for (std::int64_t block = 0; block < blocks; ++block) {
    std::uint32_t sum = 0;
    for (std::int64_t i = block * kBlock; i < (block + 1) * kBlock; ++i) {
      sum += values[i];
      sums[i] = sum;
    }
  }
}

void plain_histogram(NativeBuffers b) {
  const std::uint32_t* __restrict values = at<std::uint32_t>(b, 0);
  std::uint32_t* bins = at<std::uint32_t>(b, 1);
  const std::int64_t n = count<std::uint32_t>(b, 0);
#pragma omp parallel
  {
    std::uint32_t mine[256] = {};
#pragma omp for nowait
    for (std::int64_t i = 0; i < n; ++i) ++mine[values[i] >> 24];
    for (int bin = 0; bin < 256; ++bin) {
#pragma omp atomic
      bins[bin] += mine[bin];
    }
  }
}

void plain_nbody(NativeBuffers b) {
  const NbodyShape s = *at<NbodyShape>(b, 0);
  const float* __restrict bodies = at<float>(b, 1);
  float* __restrict pulls = at<float>(b, 2);
  const std::int64_t n = s.count;
#pragma omp parallel for
  for (std::int64_t i = 0; i < n; ++i) {
    const float* here = bodies + 4 * i;
    float px = 0, py = 0, pz = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      const float* other = bodies + 4 * j;
      const float dx = other[0] - here[0], dy = other[1] - here[1], dz = other[2] - here[2];
      const float inverse = 1.0F / std::sqrt(dx * dx + dy * dy + dz * dz + s.softening);
      const float pull = other[3] * inverse * inverse * inverse;
      px += dx * pull;
      py += dy * pull;
      pz += dz * pull;
    }
    pulls[4 * i] = px;
    pulls[4 * i + 1] = py;
    pulls[4 * i + 2] = pz;
    pulls[4 * i + 3] = 0;
  }
}

namespace {
float normal(float d) {
  const float k = 1.0F / (1.0F + 0.2316419F * std::fabs(d));
  const float series =
      k * (0.31938153F +
           k * (-0.356563782F + k * (1.781477937F + k * (-1.821255978F + k * 1.330274429F))));
  const float tail = 0.39894228F * std::exp(-0.5F * d * d) * series;
  return d > 0.0F ? 1.0F - tail : tail;
}
}  // namespace

void plain_black_scholes(NativeBuffers b) {
  const BlackScholesShape s = *at<BlackScholesShape>(b, 0);
  const float* __restrict spots = at<float>(b, 1);
  const float* __restrict strikes = at<float>(b, 2);
  const float* __restrict years = at<float>(b, 3);
  float* __restrict calls = at<float>(b, 4);
  float* __restrict puts = at<float>(b, 5);
  const std::int64_t n = s.n;
#pragma omp parallel for
  for (std::int64_t i = 0; i < n; ++i) {
    const float spot = spots[i], strike = strikes[i], t = years[i];
    const float spread = s.volatility * std::sqrt(t);
    const float d1 =
        (std::log(spot / strike) + (s.rate + 0.5F * s.volatility * s.volatility) * t) / spread;
    const float d2 = d1 - spread;
    const float discounted = strike * std::exp(-s.rate * t);
    const float n1 = normal(d1), n2 = normal(d2);
    calls[i] = spot * n1 - discounted * n2;
    puts[i] = discounted * (1.0F - n2) - spot * (1.0F - n1);
  }
}

void plain_mandelbrot(NativeBuffers b) {
  const MandelbrotShape s = *at<MandelbrotShape>(b, 0);
  std::uint32_t* __restrict rounds = at<std::uint32_t>(b, 1);
#pragma omp parallel for schedule(dynamic, 4)
  for (std::uint32_t row = 0; row < s.height; ++row) {
    for (std::uint32_t column = 0; column < s.width; ++column) {
      const float cx = s.left + static_cast<float>(column) * s.pixel;
      const float cy = s.top + static_cast<float>(row) * s.pixel;
      float x = 0, y = 0;
      std::uint32_t round = 0;
      while (round < s.limit && x * x + y * y <= 4.0F) {
        const float next = x * x - y * y + cx;
        y = 2.0F * x * y + cy;
        x = next;
        ++round;
      }
      rounds[std::size_t{row} * s.width + column] = round;
    }
  }
}

void plain_bitonic(NativeBuffers b) {
  const BitonicShape s = *at<BitonicShape>(b, 0);
  std::uint32_t* values = at<std::uint32_t>(b, 1);
  const std::uint32_t n = s.n;
#pragma omp parallel for
  for (std::uint32_t low = 0; low < n; ++low) {
    const std::uint32_t high = low ^ s.distance;
    if (high <= low) continue;
    const std::uint32_t first = values[low], second = values[high];
    const bool ascending = (low & s.block) == 0;
    if ((first > second) == ascending) {
      values[low] = second;
      values[high] = first;
    }
  }
}

}  // namespace vyre::bench
