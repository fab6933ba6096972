#include "native.h"

namespace vyre::bench {

NativeSides native_sides(std::string_view problem) {
  struct Row {
    std::string_view name;
    NativeSides sides;
  };
  constexpr Row kRows[] = {
      {"saxpy", {plain_saxpy, nullptr}},
      {"stencil", {plain_stencil, nullptr}},
      {"gather", {plain_gather, nullptr}},
      {"spmv", {plain_spmv, nullptr}},
      {"matmul", {plain_matmul, ceiling_matmul}},
      {"reduction", {plain_reduction, nullptr}},
      {"scan", {plain_scan, nullptr}},
      {"histogram", {plain_histogram, nullptr}},
      {"nbody", {plain_nbody, ceiling_nbody}},
      {"black_scholes", {plain_black_scholes, nullptr}},
      {"mandelbrot", {plain_mandelbrot, ceiling_mandelbrot}},
      {"bitonic", {plain_bitonic, nullptr}},
  };
  for (const Row& row : kRows) {
    if (row.name == problem) return row.sides;
  }
  return {};
}

}  // namespace vyre::bench
