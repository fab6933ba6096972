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

inline constexpr std::uint64_t kMaxPackedInput = std::uint64_t{256} << 20;

// The text of a file, unpacked where it is gzip; Code::limit where the file or the text has more
// than `max_bytes`. Errors name the file.
Result<std::string> read_packed_file(const std::string& path,
                                     std::uint64_t max_bytes = kMaxPackedInput);

// The same, where - is the standard input.
Result<std::string> read_packed_input(const std::string& path, Streams& streams,
                                      std::uint64_t max_bytes = kMaxPackedInput);

}  // namespace vyre
