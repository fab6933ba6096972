// A problem is one kernel with its data and the answer it must give; every implementation of it
// works on the same buffers, by position.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "native.h"

namespace vyre::bench {

enum class Role : std::uint8_t { uniform, input, output };  // output: read back and checked

struct BufferSpec {
  Role role = Role::input;
  std::vector<std::byte> initial;
};

struct Problem;
std::string wgsl_path(const Problem& problem);  // below the root of the tree

using Outputs = std::vector<std::vector<std::byte>>;  // by buffer; empty where not an output

struct Problem {
  std::string name;  // of the kernel, and of its files wgsl/<name>.wgsl and opencl/<name>.cl
  std::string wgsl;  // its WGSL file below the root of the tree, where it is another
  std::array<std::uint32_t, 3> workgroup{1, 1, 1};
  std::array<std::uint32_t, 3> groups{1, 1, 1};
  // A launch over this many invocations instead of whole workgroups.
  std::optional<std::array<std::uint32_t, 3>> extent;
  std::vector<BufferSpec> buffers;
  // The kernel in CUDA C++ takes the number of words of the last buffer after the buffers.
  bool takes_length = true;
  bool has_barriers = false;
  bool fresh_data =
      false;  // a run changes what the next one would do: write outputs anew before it
  // What is wrong with the outputs of one run; empty when nothing is.
  std::function<std::string(const Outputs&)> check;
};

// One way to run a problem. Buffers start with their initial contents.
class Implementation {
 public:
  virtual ~Implementation() = default;
  virtual void run() = 0;  // returns when the results are there
  virtual void write(std::size_t buffer, std::span<const std::byte> bytes) = 0;
  virtual std::vector<std::byte> read(std::size_t buffer) = 0;
};

struct Made {
  std::unique_ptr<Implementation> implementation;
  std::string why_not;  // when there is none
};

enum class Size : std::uint8_t { small, standard, large };

std::vector<std::string> problem_names();
Problem make_problem(const std::string& name, Size size);

template <class T>
std::vector<std::byte> bytes_of(std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  return {bytes.begin(), bytes.end()};
}
template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  return bytes_of(std::span<const T>(values));
}
template <class T>
std::vector<std::byte> bytes_of_struct(const T& value) {
  return bytes_of(std::span<const T>(&value, 1));
}
template <class T>
std::vector<T> values_of(const std::vector<std::byte>& bytes) {
  std::vector<T> out(bytes.size() / sizeof(T));
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
  return out;
}

}  // namespace vyre::bench
