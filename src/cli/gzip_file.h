// Files that are plain or gzip, told apart by their first bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vyre/base/error.h"
#include "vyre/cli/streams.h"

namespace vyre {

// What is inside a gzip file; Code::limit for more than `max_bytes`.
Result<std::string> gunzip(std::string_view file, std::uint64_t max_bytes);

// The text of a file, unpacked where it is gzip. Errors name it.
Result<std::string> read_packed_file(const std::string& path,
                                     std::uint64_t max_file_bytes = std::uint64_t{256} << 20,
                                     std::uint64_t max_text_bytes = std::uint64_t{256} << 20);

// The same, where - is the standard input.
Result<std::string> read_packed_input(const std::string& path, Streams& streams);

}  // namespace vyre
