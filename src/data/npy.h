// NumPy's .npy files: a header (element type, order, shape) and the bytes of one array. Versions 1
// to 3 are read; little-endian f2, f4, i4 and u4 in C order are what a buffer can hold. Version 1
// is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/ir/scalar.h"

namespace vyre {

// Longer headers are refused: NumPy itself writes a hundred bytes or two.
inline constexpr std::size_t kMaxNpyHeader = 65536;
inline constexpr std::size_t kMaxNpyAxes = 64;

struct NpyHeader {
  std::string descr;  // NumPy's name of the element type: "<f4"
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;  // empty: a single value
  std::size_t data_offset = 0;       // where the data begin in the file

  bool operator==(const NpyHeader&) const = default;
};

// What a file says about itself; `name` stands in front of errors. The data are not looked at.
Result<NpyHeader> parse_npy_header(std::string_view file, std::string_view name);

struct NpyArray {
  std::vector<std::uint64_t> shape;
  std::span<const std::byte> data;  // a view into the file, exactly shape x element size
};

// The array in a file, which must hold elements of `kind` in C order and nothing behind them.
Result<NpyArray> parse_npy(std::string_view file, std::string_view name, ScalarKind kind);

// Everything that stands before the data. `kind` is f32, f16, i32 or u32.
std::string npy_header(ScalarKind kind, std::span<const std::uint64_t> shape);

// "<f4" and so on.
std::string_view npy_descr(ScalarKind kind);

// "(2, 3)", "(4,)", "()", as Python writes a tuple.
std::string shape_text(std::span<const std::uint64_t> shape);

}  // namespace vyre
