// Data and comparisons that the problems share.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "problem.h"

namespace vyre::bench {

std::vector<float> random_floats(std::size_t n, float low, float high, std::uint32_t seed);
std::vector<std::uint32_t> random_words(std::size_t n, std::uint32_t below, std::uint32_t seed);

// Each |got - wanted| <= absolute + relative·|wanted|.
std::string check_close(const std::vector<std::byte>& got, const std::vector<double>& wanted,
                        double relative, double absolute);
std::string check_equal(const std::vector<std::byte>& got,
                        const std::vector<std::uint32_t>& wanted);

BufferSpec uniform_of(std::vector<std::byte> bytes);
BufferSpec input_of(std::vector<std::byte> bytes);
BufferSpec output_of(std::size_t bytes);

Problem saxpy_problem(Size size);
Problem saxpy_problem_of(std::uint32_t elements);
Problem stencil_problem_of(std::uint32_t side);
Problem stencil_problem(Size size);
Problem gather_problem(Size size);
Problem spmv_problem(Size size);
Problem matmul_problem(Size size);
Problem reduction_problem(Size size);
Problem scan_problem(Size size);
Problem histogram_problem(Size size);
Problem nbody_problem(Size size);
Problem black_scholes_problem(Size size);
Problem mandelbrot_problem(Size size);
Problem bitonic_problem(Size size);

// One of three, by size.
template <class T>
T by_size(Size size, T small, T standard, T large) {
  return size == Size::small ? small : size == Size::standard ? standard : large;
}

}  // namespace vyre::bench
