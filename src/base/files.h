// Files that the user names, read and written whole (private_folder.h is for those that vyre
// trusts). Every error names the path and what the operating system said.
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

// The same, but a file that is not there is an empty optional and no error.
Result<std::optional<std::string>> read_file_if_exists(const std::filesystem::path& path,
                                                       std::uint64_t max_bytes = kDefaultReadLimit);

// Gives `path` this content, so that a reader (and whoever looks after a crash) finds the old file
// or the new one, whole, and never something between: a temporary file in the same folder is
// written, flushed to disk and renamed over the path.
//
// A symbolic link stays a link, and the file it leads to is replaced. A file that was there keeps
// its permission bits. A device or a pipe cannot be replaced and is written to instead. The folder
// must exist.
//
// What can be made again, and is recognised when a power failure left a part of it, may be flushed
// later, by the system: that saves milliseconds.
enum class Flush : std::uint8_t { now, later };
Result<void> replace_file(const std::filesystem::path& path, std::span<const std::byte> content,
                          Flush flush = Flush::now);
Result<void> replace_file(const std::filesystem::path& path, std::string_view content,
                          Flush flush = Flush::now);

// Makes the folder and those above it. One that is there already is fine.
Result<void> make_folders(const std::filesystem::path& path);

}  // namespace vyre
