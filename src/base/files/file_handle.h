// An owned file descriptor, and the error for a failed system call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "vyre/base/error.h"

namespace vyre {

class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
  FileHandle(FileHandle&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle();

  [[nodiscard]] int get() const { return descriptor_; }
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }

  // open(2) with O_CLOEXEC, repeated when interrupted. If it fails, the handle is not open and
  // errno is set.
  static FileHandle open(const std::filesystem::path& path, int flags, unsigned mode = 0666);
  // openat(2), in the same way.
  static FileHandle open_at(int folder, const std::string& name, int flags, unsigned mode = 0666);

 private:
  int descriptor_ = -1;
};

// The content from the current position, or of a pipe to its end. More than `max_bytes` is
// Code::limit, and the rest of the input is not read. `path` is for messages.
Result<std::string> read_all(const FileHandle& file, const std::filesystem::path& path,
                             std::uint64_t max_bytes);

// Writes all of it, or fails with errno set.
bool write_all(int descriptor, std::span<const std::byte> content);

// The first 64 KiB of a file of /proc or /sys; empty if it cannot be read. Throws std::bad_alloc
// where the reason is a lack of memory, so that nobody takes the system for one that tells nothing.
std::string system_text(const std::filesystem::path& path);

// Code::io, or Code::out_of_memory for ENOMEM: "cannot <action> <path>: <text of the error
// number>".
std::unexpected<Error> fail_io(std::string_view action, const std::filesystem::path& path,
                               int error_number,
                               std::source_location where = std::source_location::current());

}  // namespace vyre
