// The source of a buffer's data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/data/buffer_data.h"
#include "vyre/data/fill.h"
#include "vyre/data/image/image.h"
#include "vyre/data/npy/npy_record.h"

namespace vyre {

struct NpyFile {
  std::string path;
  bool operator==(const NpyFile&) const = default;
};
struct RawFile {
  std::string path;
  bool operator==(const RawFile&) const = default;
};
struct ImageFile {
  std::string path;
  bool operator==(const ImageFile&) const = default;
};
using DataSource = std::variant<NpyFile, RawFile, ImageFile, Fill>;

// file.npy | file.png, file.pgm, file.ppm | raw:file | fill:..., as parse_fill reads it
Result<DataSource> parse_source(std::string_view text);
// "fill:iota", "raw:x.bin", "x.npy", "x.png".
std::string describe(const DataSource& source);

// Data that were read as far as possible before the size of the buffer is known.
struct OpenedData {
  std::optional<std::uint64_t> elements{};  // empty: as many as the buffer will have
  std::vector<std::uint64_t> shape{};       // of a .npy file or an image
  std::string file{};                       // its content
  std::size_t data_offset = 0;              // where the data begin in it
  // For a .npy file of records: the map of their bytes.
  std::vector<RecordRun> runs{};
  std::uint64_t record_bytes = 0;
  Image image{};
};
// Fails if the data do not fit the type of the buffer. A file of more than `max_bytes`, or of more
// than half of the memory that the process may still take, is not read.
Result<OpenedData> open_source(const DataSource& source, const BufferData& buffer,
                               std::uint64_t max_bytes);
// Copies the data to memory of the right size that holds zeros.
Result<void> put_data(const DataSource& source, const BufferData& buffer, const OpenedData& opened,
                      std::span<std::byte> memory);

}  // namespace vyre
