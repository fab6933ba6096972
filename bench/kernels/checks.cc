#include "checks.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace vyre::bench {

std::vector<float> random_floats(std::size_t n, float low, float high, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(low, high);
  std::vector<float> out(n);
  for (float& v : out) v = values(random);
  return out;
}

std::vector<std::uint32_t> random_words(std::size_t n, std::uint32_t below, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> out(n);
  for (std::uint32_t& v : out) {
    const auto word = static_cast<std::uint32_t>(random());
    v = below == 0 ? word : word % below;
  }
  return out;
}

std::string check_close(const std::vector<std::byte>& got, const std::vector<double>& wanted,
                        double relative, double absolute) {
  const auto values = values_of<float>(got);
  if (values.size() != wanted.size()) {
    return fmt::format("{} values instead of {}", values.size(), wanted.size());
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double off = std::abs(static_cast<double>(values[i]) - wanted[i]);
    if (!(off <= absolute + relative * std::abs(wanted[i]))) {
      return fmt::format("value {} is {}, not {}", i, values[i], wanted[i]);
    }
  }
  return {};
}

std::string check_equal(const std::vector<std::byte>& got,
                        const std::vector<std::uint32_t>& wanted) {
  const auto values = values_of<std::uint32_t>(got);
  if (values.size() != wanted.size()) {
    return fmt::format("{} values instead of {}", values.size(), wanted.size());
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != wanted[i]) {
      return fmt::format("value {} is {}, not {}", i, values[i], wanted[i]);
    }
  }
  return {};
}

BufferSpec uniform_of(std::vector<std::byte> bytes) { return {Role::uniform, std::move(bytes)}; }
BufferSpec input_of(std::vector<std::byte> bytes) { return {Role::input, std::move(bytes)}; }
BufferSpec output_of(std::size_t bytes) {
  return {Role::output, std::vector<std::byte>(bytes, std::byte{0})};
}

namespace {
struct Entry {
  const char* name;
  Problem (*make)(Size);
};
constexpr Entry kProblems[] = {
    {"saxpy", saxpy_problem},
    {"stencil", stencil_problem},
    {"gather", gather_problem},
    {"spmv", spmv_problem},
    {"nbody", nbody_problem},
    {"black_scholes", black_scholes_problem},
    {"mandelbrot", mandelbrot_problem},
    {"bitonic", bitonic_problem},
    {"matmul", matmul_problem},
    {"reduction", reduction_problem},
    {"scan", scan_problem},
    {"histogram", histogram_problem},
};
}  // namespace

std::vector<std::string> problem_names() {
  std::vector<std::string> out;
  for (const Entry& e : kProblems) out.emplace_back(e.name);
  return out;
}

Problem make_problem(const std::string& name, Size size) {
  for (const Entry& e : kProblems) {
    if (name == e.name) return e.make(size);
  }
  return {};
}

}  // namespace vyre::bench
