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
// Writes a buffer that check_sink has accepted, and returns the size of the file. `shape` is the
// shape of the input of the buffer; empty: one axis of elements. An image needs a shape whose first
// two axes are height and width.
Result<std::uint64_t> write_data(const DataSink& sink, const BufferData& buffer,
                                 std::span<const std::byte> memory,
                                 std::span<const std::uint64_t> shape);

}  // namespace vyre
