// Kernels whose workgroups share memory.
#include "checks.h"

namespace vyre::bench {

Problem matmul_problem(Size size) {
  const std::uint32_t n = by_size(size, 64U, 512U, 1024U);
  const MatmulShape shape{n};
  const auto a = random_floats(std::size_t{n} * n, -1, 1, 15);
  const auto b = random_floats(std::size_t{n} * n, -1, 1, 16);
  std::vector<double> wanted(std::size_t{n} * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < n; ++j) wanted[i * n + j] += double{a[i * n + k]} * b[k * n + j];
    }
  }
  Problem p;
  p.name = "matmul";
  p.workgroup = {16, 16, 1};
  p.groups = {n / 16, n / 16, 1};
  p.buffers = {uniform_of(bytes_of_struct(shape)), input_of(bytes_of(a)), input_of(bytes_of(b)),
               output_of(wanted.size() * 4)};
  p.has_barriers = true;
  p.check = [wanted](const Outputs& out) { return check_close(out[3], wanted, 1e-4, 1e-3); };
  return p;
}

Problem reduction_problem(Size size) {
  const std::uint32_t n = by_size(size, 1U << 18, 1U << 22, 1U << 24);
  const auto values = random_floats(n, -1, 1, 17);
  std::vector<double> wanted(n / 256);
  for (std::uint32_t i = 0; i < n; ++i) wanted[i / 256] += values[i];
  Problem p;
  p.name = "reduction";
  p.workgroup = {256, 1, 1};
  p.groups = {n / 256, 1, 1};
  p.buffers = {input_of(bytes_of(values)), output_of(wanted.size() * 4)};
  p.has_barriers = true;
  p.check = [wanted](const Outputs& out) { return check_close(out[1], wanted, 1e-5, 1e-4); };
  return p;
}

Problem scan_problem(Size size) {
  const std::uint32_t n = by_size(size, 1U << 16, 1U << 21, 1U << 23);
  const auto values = random_words(n, 1000, 18);
  std::vector<std::uint32_t> wanted(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    wanted[i] = values[i] + (i % 256 == 0 ? 0 : wanted[i - 1]);
  }
  Problem p;
  p.name = "scan";
  p.workgroup = {256, 1, 1};
  p.groups = {n / 256, 1, 1};
  p.buffers = {input_of(bytes_of(values)), output_of(n * 4ULL)};
  p.has_barriers = true;
  p.check = [wanted](const Outputs& out) { return check_equal(out[1], wanted); };
  return p;
}

Problem histogram_problem(Size size) {
  const std::uint32_t n = by_size(size, 1U << 18, 1U << 22, 1U << 24);
  const auto values = random_words(n, 0, 19);
  std::vector<std::uint32_t> wanted(256);
  for (const std::uint32_t v : values) ++wanted[v >> 24];
  Problem p;
  p.name = "histogram";
  p.workgroup = {256, 1, 1};
  p.groups = {n / (256 * 16), 1, 1};
  p.buffers = {input_of(bytes_of(values)), output_of(std::size_t{256} * 4)};
  p.has_barriers = true;
  p.check = [wanted](const Outputs& out) { return check_equal(out[1], wanted); };
  return p;
}

}  // namespace vyre::bench
