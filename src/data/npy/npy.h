// NumPy's .npy files: a header (element type, order, shape) and the bytes of one array. Versions 1
// to 3 are read; little-endian f2, f4, i4 and u4 in C order are what a buffer can hold, and records
// of these (structured dtypes). Version 1 is written where it can hold the header, else version 3.
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

// NumPy's type of an element: a scalar, or a record of fields.
struct NpyField;
struct NpyType {
  std::string descr;             // NumPy's name of a scalar: "<f4"; empty for a record
  std::vector<NpyField> fields;  // of a record, in the order of their bytes
  std::uint64_t bytes = 0;       // of one element; 0: a scalar that is not understood

  bool is_record() const { return descr.empty(); }
  bool operator==(const NpyType&) const;
};
struct NpyField {
  std::string name;  // empty: padding
  NpyType type;
  std::vector<std::uint64_t> shape;  // of an array inside the record; empty: a single value
  std::uint64_t offset = 0;          // in bytes, from the beginning of the record

  bool operator==(const NpyField&) const = default;
};
// Records inside records, at most.
inline constexpr unsigned kMaxNpyDepth = 16;

struct NpyHeader {
  NpyType type;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;  // empty: a single value
  std::size_t data_offset = 0;       // where the data begin in the file

  bool operator==(const NpyHeader&) const = default;
};

// Reads the header; the data are not checked. Errors begin with `name`.
Result<NpyHeader> parse_npy_header(std::string_view file, std::string_view name);

struct NpyArray {
  std::vector<std::uint64_t> shape;
  std::span<const std::byte> data;  // a view into the file, exactly shape x element size
};

// The array in a file, which must hold elements of `kind` in C order and nothing after them.
Result<NpyArray> parse_npy(std::string_view file, std::string_view name, ScalarKind kind);
// The same for a header that was already read and checked.
Result<NpyArray> npy_array(std::string_view file, std::string_view name, const NpyHeader& header);

// The bytes before the data.
std::string npy_header(const NpyType& type, std::span<const std::uint64_t> shape);

// The descr of f32, f16, i32 or u32.
NpyType npy_type(ScalarKind kind);
// "'<f8' (64-bit floats)"; "records" for those.
std::string type_text(const NpyType& type);

// "(2, 3)", "(4,)", "()", as Python writes a tuple.
std::string shape_text(std::span<const std::uint64_t> shape);

}  // namespace vyre
