// C++ implementations, compiled with the flags of a program that wants speed. Plain ones are what
// the compiler makes of a loop; ceilings are vectorised by hand with the compiler's vector types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vyre::bench {

struct NativeBuffers {
  std::byte* const* data;
  const std::uint64_t* bytes;
  std::size_t count;
};
using NativeFunction = void (*)(NativeBuffers);

struct SaxpyShape {
  float a;
  std::uint32_t n;
};
struct StencilShape {
  std::uint32_t width, height;
  float rate;
  std::uint32_t unused;
};
struct MatmulShape {
  std::uint32_t size;
};
struct NbodyShape {
  std::uint32_t count;
  float softening;
};
struct BlackScholesShape {
  float rate, volatility;
  std::uint32_t n;
};
struct MandelbrotShape {
  float left, top, pixel;
  std::uint32_t width, limit, height;
};
struct BitonicShape {
  std::uint32_t block, distance, n;
};

void plain_saxpy(NativeBuffers);
void plain_stencil(NativeBuffers);
void plain_gather(NativeBuffers);
void plain_spmv(NativeBuffers);
void plain_matmul(NativeBuffers);
void plain_reduction(NativeBuffers);
void plain_scan(NativeBuffers);
void plain_histogram(NativeBuffers);
void plain_nbody(NativeBuffers);
void plain_black_scholes(NativeBuffers);
void plain_mandelbrot(NativeBuffers);
void plain_bitonic(NativeBuffers);

void ceiling_matmul(NativeBuffers);
void ceiling_nbody(NativeBuffers);
void ceiling_mandelbrot(NativeBuffers);

// The implementations of a problem, by its name; null where there is none.
struct NativeSides {
  NativeFunction plain = nullptr;
  NativeFunction ceiling = nullptr;  // vectorised by hand
};
NativeSides native_sides(std::string_view problem);

void set_native_threads(unsigned threads);
// An OpenMP loop of one iteration, for the cost of starting one.
void native_empty_loop(int* touched);

}  // namespace vyre::bench
