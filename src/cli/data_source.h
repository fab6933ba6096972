// What --in, --out, --uniform, --set and --print say, as data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/cli/buffer_layout.h"

namespace vyre {

struct NpyFile {
  std::string path;
  bool operator==(const NpyFile&) const = default;
};
struct RawFile {
  std::string path;
  bool operator==(const RawFile&) const = default;
};

// Data made here. Scalars are numbered 0, 1, 2, ... through the buffer in memory order.
struct Fill {
  enum class Kind : std::uint8_t {
    zeros,
    iota,      // scalar i is i (modulo 2^32 for integers, rounded for floats)
    constant,  // every scalar is `value`
    random,    // scalar i is a function of `seed` and i alone
  };
  Kind kind = Kind::zeros;
  std::string value;
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> elements;  // of a run-time sized array
  bool operator==(const Fill&) const = default;
};
using DataSource = std::variant<NpyFile, RawFile, Fill>;

struct InputArgument {
  std::string name;
  DataSource source;
};
// name=file.npy | name=raw:file | name=fill:zeros[:N] | fill:iota[:N] | fill:const=V[:N] |
// fill:random=SEED[:N]
Result<InputArgument> parse_input(std::string_view text);

struct OutputArgument {
  std::string name;
  std::string path;
  bool raw = false;
};
// name=file.npy | name=raw:file
Result<OutputArgument> parse_output(std::string_view text);

struct Assignment {
  std::string path;                 // p, p.n, p.items[2], p.direction.x
  std::vector<std::string> values;  // several for a vector, a matrix, an array or a struct
};
// Assignments between commas; the values of one between colons: p.n=4,p.direction=0:0:1
Result<std::vector<Assignment>> parse_assignments(std::string_view text);

struct Setting {
  std::string name;
  double value = 0;
};
// name=value between commas.
Result<std::vector<Setting>> parse_settings(std::string_view text);

struct PrintArgument {
  std::string name;
  std::optional<std::uint64_t> elements;
};
// name or name:n
Result<PrintArgument> parse_print(std::string_view text);

// "fill:iota", "raw:x.bin", "x.npy".
std::string describe(const DataSource& source);

// Fills the whole buffer. Fails when a constant does not fit a scalar of the buffer.
Result<void> apply_fill(const TypeTable& types, const BufferLayout& layout, const Fill& fill,
                        std::span<std::byte> memory);

// Scalar i of the sequence of a seed: the output of SplitMix64 for the state seed + (i+1) * the
// golden gamma. Integers take its high 32 bits; f32 the high 24 and f16 the high 11 as a fraction
// in [0, 1).
Scalar random_scalar(std::uint64_t seed, std::uint64_t i, ScalarKind kind);

}  // namespace vyre
