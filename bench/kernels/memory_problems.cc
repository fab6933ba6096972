// Kernels that move more than they compute.
#include <cmath>

#include "checks.h"

namespace vyre::bench {

Problem saxpy_problem(Size size) {
  return saxpy_problem_of(by_size(size, 1U << 18, 1U << 22, 1U << 24));
}

Problem saxpy_problem_of(std::uint32_t n) {
  const SaxpyShape shape{1.7F, n};
  const auto x = random_floats(n, -1, 1, 1);
  const auto y = random_floats(n, -1, 1, 2);
  std::vector<double> wanted(n);
  for (std::uint32_t i = 0; i < n; ++i) wanted[i] = double{shape.a} * x[i] + y[i];
  Problem p;
  p.name = "saxpy";
  p.workgroup = {256, 1, 1};
  p.groups = {n / 256, 1, 1};
  p.buffers = {uniform_of(bytes_of_struct(shape)), input_of(bytes_of(x)), input_of(bytes_of(y)),
               output_of(n * 4ULL)};
  p.check = [wanted](const Outputs& out) { return check_close(out[3], wanted, 1e-6, 1e-6); };
  return p;
}

Problem stencil_problem(Size size) { return stencil_problem_of(by_size(size, 512U, 2048U, 4096U)); }

Problem stencil_problem_of(std::uint32_t side) {
  const StencilShape shape{side, side, 0.2F, 0};
  const auto before = random_floats(std::size_t{side} * side, 0, 1, 3);
  std::vector<double> wanted(before.size());
  for (std::size_t y = 0; y < side; ++y) {
    for (std::size_t x = 0; x < side; ++x) {
      const std::size_t i = y * side + x;
      const double centre = before[i];
      wanted[i] = centre;
      if (x == 0 || y == 0 || x == side - 1 || y == side - 1) continue;
      const double around =
          double{before[i - 1]} + before[i + 1] + before[i - side] + before[i + side];
      wanted[i] = centre + shape.rate * (around - 4 * centre);
    }
  }
  Problem p;
  p.name = "stencil";
  p.workgroup = {16, 16, 1};
  p.groups = {side / 16, side / 16, 1};
  p.buffers = {uniform_of(bytes_of_struct(shape)), input_of(bytes_of(before)),
               output_of(before.size() * 4)};
  p.check = [wanted](const Outputs& out) { return check_close(out[2], wanted, 1e-5, 1e-5); };
  return p;
}

Problem gather_problem(Size size) {
  const std::uint32_t n = by_size(size, 1U << 18, 1U << 22, 1U << 24);
  const std::uint32_t table_size = 1U << 18;
  const auto table = random_words(table_size, 1U << 20, 4);
  const auto indices = random_words(n, table_size, 5);
  std::vector<float> values(table.begin(), table.end());
  std::vector<double> wanted(n);
  for (std::uint32_t i = 0; i < n; ++i) wanted[i] = values[indices[i]];
  Problem p;
  p.name = "gather";
  p.workgroup = {256, 1, 1};
  p.groups = {n / 256, 1, 1};
  p.buffers = {input_of(bytes_of(values)), input_of(bytes_of(indices)), output_of(n * 4ULL)};
  p.check = [wanted](const Outputs& out) { return check_close(out[2], wanted, 0, 0); };
  return p;
}

Problem spmv_problem(Size size) {
  const std::uint32_t rows = by_size(size, 1U << 13, 1U << 17, 1U << 19);
  const auto lengths = random_words(rows, 33, 6);
  std::vector<std::uint32_t> starts{0};
  for (const std::uint32_t length : lengths) starts.push_back(starts.back() + length);
  const auto columns = random_words(starts.back(), rows, 7);
  const auto values = random_floats(starts.back(), -1, 1, 8);
  const auto x = random_floats(rows, -1, 1, 9);
  std::vector<double> wanted(rows);
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::uint32_t k = starts[row]; k < starts[row + 1]; ++k) {
      wanted[row] += double{values[k]} * x[columns[k]];
    }
  }
  Problem p;
  p.name = "spmv";
  p.workgroup = {64, 1, 1};
  p.groups = {rows / 64, 1, 1};
  p.buffers = {input_of(bytes_of(starts)), input_of(bytes_of(columns)), input_of(bytes_of(values)),
               input_of(bytes_of(x)), output_of(rows * 4ULL)};
  p.check = [wanted](const Outputs& out) { return check_close(out[4], wanted, 1e-5, 1e-5); };
  return p;
}

Problem bitonic_problem(Size size) {
  const std::uint32_t n = by_size(size, 1U << 18, 1U << 22, 1U << 24);
  const BitonicShape shape{n / 4, 1U << 10, n};
  const auto values = random_words(n, 0, 10);
  std::vector<std::uint32_t> wanted = values;
  for (std::uint32_t low = 0; low < n; ++low) {
    const std::uint32_t high = low ^ shape.distance;
    const bool ascending = (low & shape.block) == 0;
    if (high > low && (wanted[low] > wanted[high]) == ascending) {
      std::swap(wanted[low], wanted[high]);
    }
  }
  Problem p;
  p.name = "bitonic";
  p.workgroup = {256, 1, 1};
  p.groups = {n / 256, 1, 1};
  p.buffers = {uniform_of(bytes_of_struct(shape)), {Role::output, bytes_of(values)}};
  p.fresh_data = true;
  p.check = [wanted](const Outputs& out) { return check_equal(out[1], wanted); };
  return p;
}

}  // namespace vyre::bench
