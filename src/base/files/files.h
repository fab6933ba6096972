// Reads and writes whole files that the user names (private_folder.h is for files that vyre
// trusts). Every error has the path and the text of the operating system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "vyre/base/error.h"

namespace vyre {

inline constexpr std::uint64_t kDefaultReadLimit = std::uint64_t{1} << 30;

// The content of a file, or of a pipe until it ends. More than `max_bytes` is Code::limit; the
// rest of the input is then left unread.
Result<std::string> read_file(const std::filesystem::path& path,
                              std::uint64_t max_bytes = kDefaultReadLimit);

// The same, but a missing file is an empty optional instead of an error.
Result<std::optional<std::string>> read_file_if_exists(const std::filesystem::path& path,
                                                       std::uint64_t max_bytes = kDefaultReadLimit);

// Replaces the content of `path` atomically: a reader, also after a crash, finds either the whole
// old file or the whole new one. A temporary file in the same folder is written, flushed to disk
// and renamed to `path`.
//
// A symbolic link stays a link, and its target is replaced. An existing file keeps its permission
// bits. A device or a pipe is written to directly. The folder must exist.
//
// Flush::later lets the system flush the file, which saves milliseconds. Use it for content that
// can be made again, and whose loss by a power failure is detected.
enum class Flush : std::uint8_t { now, later };
Result<void> replace_file(const std::filesystem::path& path, std::span<const std::byte> content,
                          Flush flush = Flush::now);
Result<void> replace_file(const std::filesystem::path& path, std::string_view content,
                          Flush flush = Flush::now);

// Makes the folder and its parents. An existing folder is not an error.
Result<void> make_folders(const std::filesystem::path& path);

}  // namespace vyre
