// Where the data of a buffer go.
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

// Fails when a file of that form cannot hold such a buffer.
Result<void> check_sink(const DataSink& sink, const BufferData& buffer);
// Writes all of a buffer that check_sink has passed, and gives the size of the file. `shape` is
// that of the data it began with; empty: one axis of elements, which is not enough for an image:
// its first two axes are height and width.
Result<std::uint64_t> write_data(const DataSink& sink, const BufferData& buffer,
                                 std::span<const std::byte> memory,
                                 std::span<const std::uint64_t> shape);

}  // namespace vyre
