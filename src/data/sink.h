// The destination of a buffer's data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "vyre/base/error.h"
#include "vyre/data/buffer_data.h"

namespace vyre {

struct DataSink {
  enum class Form : std::uint8_t { npy, raw, image };
  std::string path;
  Form form = Form::npy;
  bool operator==(const DataSink&) const = default;
};

// file.npy | file.png, file.pgm, file.ppm | raw:file
Result<DataSink> parse_sink(std::string_view text);

// Fails if a file of that format cannot hold such a buffer.
Result<void> check_sink(const DataSink& sink, const BufferData& buffer);
// Fails if a file of that format cannot have the shape: the first two axes of an image are its
// height and its width.
Result<void> check_sink_shape(const DataSink& sink, const BufferData& buffer,
                              std::uint64_t elements, std::span<const std::uint64_t> shape);
// Writes a buffer that both have accepted, and returns the size of the file. `shape` is that of the
// buffer's elements, with or without the axes of one element behind it; empty: one axis of
// elements.
Result<std::uint64_t> write_data(const DataSink& sink, const BufferData& buffer,
                                 std::span<const std::byte> memory,
                                 std::span<const std::uint64_t> shape);

}  // namespace vyre
