// Files of recorded tuning spaces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vyre/base/error.h"
#include "vyre/tune/recorded_space.h"

namespace vyre {

// What is inside a gzip file; Code::limit for more than `max_bytes`.
Result<std::string> gunzip(std::string_view file, std::uint64_t max_bytes);

// A space from a file, plain or gzip. Errors name the file.
Result<RecordedSpace> read_recorded_space(const std::string& path);

}  // namespace vyre
