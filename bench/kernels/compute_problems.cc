// Kernels without barriers that compute more than they move.
#include <fmt/format.h>

#include <cmath>

#include "checks.h"

namespace vyre::bench {

Problem nbody_problem(Size size) {
  const std::uint32_t n = by_size(size, 512U, 2048U, 4096U);
  const NbodyShape shape{n, 0.01F};
  const auto bodies = random_floats(n * std::size_t{4}, 0.1F, 1, 11);
  std::vector<double> wanted(n * std::size_t{4});
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double towards[3], squared = shape.softening;
      for (std::size_t k = 0; k < 3; ++k) {
        towards[k] = double{bodies[4 * j + k]} - bodies[4 * i + k];
        squared += towards[k] * towards[k];
      }
      const double pull = bodies[4 * j + 3] / (squared * std::sqrt(squared));
      for (std::size_t k = 0; k < 3; ++k) wanted[4 * i + k] += towards[k] * pull;
    }
  }
  Problem p;
  p.name = "nbody";
  p.workgroup = {64, 1, 1};
  p.groups = {n / 64, 1, 1};
  p.buffers = {uniform_of(bytes_of_struct(shape)), input_of(bytes_of(bodies)),
               output_of(n * std::size_t{16})};
  p.check = [wanted](const Outputs& out) { return check_close(out[2], wanted, 1e-3, 0.05); };
  return p;
}

namespace {
double normal(double d) {
  const double k = 1 / (1 + 0.2316419 * std::abs(d));
  const double series =
      k *
      (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
  const double tail = 0.39894228 * std::exp(-0.5 * d * d) * series;
  return d > 0 ? 1 - tail : tail;
}
}  // namespace

Problem black_scholes_problem(Size size) {
  const std::uint32_t n = by_size(size, 1U << 14, 1U << 19, 1U << 21);
  const BlackScholesShape shape{0.02F, 0.3F, n};
  const auto spots = random_floats(n, 5, 30, 12);
  const auto strikes = random_floats(n, 1, 100, 13);
  const auto years = random_floats(n, 0.25F, 10, 14);
  std::vector<double> calls(n), puts(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    const double rate = shape.rate, volatility = shape.volatility, t = years[i];
    const double spread = volatility * std::sqrt(t);
    const double d1 =
        (std::log(double{spots[i]} / strikes[i]) + (rate + 0.5 * volatility * volatility) * t) /
        spread;
    const double discounted = strikes[i] * std::exp(-rate * t);
    const double n1 = normal(d1), n2 = normal(d1 - spread);
    calls[i] = spots[i] * n1 - discounted * n2;
    puts[i] = discounted * (1 - n2) - spots[i] * (1 - n1);
  }
  Problem p;
  p.name = "black_scholes";
  p.workgroup = {128, 1, 1};
  p.groups = {n / 128, 1, 1};
  p.buffers = {
      uniform_of(bytes_of_struct(shape)), input_of(bytes_of(spots)), input_of(bytes_of(strikes)),
      input_of(bytes_of(years)),          output_of(n * 4ULL),       output_of(n * 4ULL)};
  p.check = [calls, puts](const Outputs& out) {
    auto wrong = check_close(out[4], calls, 1e-4, 1e-4);
    return wrong.empty() ? check_close(out[5], puts, 1e-4, 1e-4) : wrong;
  };
  return p;
}

Problem mandelbrot_problem(Size size) {
  const std::uint32_t width = by_size(size, 96U, 768U, 1536U);
  const std::uint32_t height = width / 3 * 2;
  const MandelbrotShape shape{-2, -1, 3.0F / static_cast<float>(width), width, 256, height};
  std::vector<std::uint32_t> wanted(std::size_t{width} * height);
  for (std::uint32_t row = 0; row < height; ++row) {
    for (std::uint32_t column = 0; column < width; ++column) {
      const double cx = shape.left + column * double{shape.pixel};
      const double cy = shape.top + row * double{shape.pixel};
      double x = 0, y = 0;
      std::uint32_t round = 0;
      while (round < shape.limit && x * x + y * y <= 4) {
        const double next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        ++round;
      }
      wanted[std::size_t{row} * width + column] = round;
    }
  }
  Problem p;
  p.name = "mandelbrot";
  p.workgroup = {16, 8, 1};
  p.groups = {width / 16, height / 8, 1};
  p.buffers = {uniform_of(bytes_of_struct(shape)), output_of(wanted.size() * 4)};
  // Points near the edge of the set part ways with the last bit.
  p.check = [wanted](const Outputs& out) -> std::string {
    const auto got = values_of<std::uint32_t>(out[1]);
    std::size_t off = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) off += got[i] != wanted[i];
    if (off * 50 <= wanted.size()) return {};
    return fmt::format("{} of {} points differ", off, wanted.size());
  };
  return p;
}

}  // namespace vyre::bench
