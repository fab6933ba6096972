// WGSL structs as the records of a .npy file. A struct is a record with a field of the same name
// for each member: a vecN is a field of shape (N,), a matCxR one of shape (C, R), an array one with
// an axis of its length in front, a struct a record inside the record.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/data/npy/npy.h"
#include "vyre/data/npy/packed_elements.h"
#include "vyre/ir/type.h"

namespace vyre {

// A range of bytes that is contiguous both in the file and in memory.
struct RecordRun {
  std::uint64_t file_offset = 0, memory_offset = 0, bytes = 0;
  bool operator==(const RecordRun&) const = default;
};

// The struct inside the elements of a buffer, and the axes of the arrays around it in one element.
// The elements contain a struct, or the buffer is a struct with a run-time sized array.
struct RecordAxes {
  TypeId structure;
  std::vector<std::uint64_t> axes;
};
RecordAxes record_axes(const TypeTable& types, const BufferLayout& layout);

// Maps the bytes of a record to those of a struct by the names of fields; the file may have another
// order and padding. A run-time sized array gets as many elements as the field. Fails, naming the
// field, if one is missing, unknown, or of another type or shape. Errors begin with `file`.
Result<std::vector<RecordRun>> map_record(const TypeTable& types, TypeId structure,
                                          const NpyType& record, const std::string& file);

// The record of a struct, without padding. `elements` is the length of its run-time sized array, if
// it has one.
NpyType packed_record(const TypeTable& types, TypeId structure, std::uint64_t elements);

// Copies consecutive records to and from structs that are `stride` bytes apart.
void read_records(std::span<const RecordRun> runs, std::uint64_t record_bytes, std::uint64_t stride,
                  std::span<const std::byte> file, std::span<std::byte> memory);
std::vector<std::byte> write_records(std::span<const RecordRun> runs, std::uint64_t record_bytes,
                                     std::uint64_t stride, std::uint64_t count,
                                     std::span<const std::byte> memory);

}  // namespace vyre
