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
  enum class Form : std::uint8_t { npy, raw };
  std::string path;
  Form form = Form::npy;
  bool operator==(const DataSink&) const = default;
};

// file.npy | raw:file
Result<DataSink> parse_sink(std::string_view text);

// Writes all of a buffer, and gives the size of the file. `shape` is that of the data it began with;
// empty: one axis of elements.
Result<std::uint64_t> write_data(const DataSink& sink, const BufferData& buffer,
                                 std::span<const std::byte> memory,
                                 std::span<const std::uint64_t> shape);

}  // namespace vyre
