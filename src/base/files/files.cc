#include "vyre/base/files/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "vyre/base/files/file_handle.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// The file that a path leads to through symbolic links, which need not exist.
Result<fs::path> without_links(fs::path path) {
  constexpr int kMostLinks = 40;  // what Linux follows
  for (int followed = 0; followed <= kMostLinks; ++followed) {
    std::error_code error;
    const fs::path next = fs::read_symlink(path, error);
    if (error) return path;
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return fail_io("open", path, ELOOP);
}

fs::path folder_of(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

// Creates a file beside the target, with a unique name.
FileHandle make_temporary(const fs::path& target, fs::path& name) {
  constexpr std::size_t kLongest = 200;  // leaves room for the suffix within the limit of names
  static std::atomic<std::uint32_t> counter = 0;
  while (true) {
    name = folder_of(target) / fmt::format(".{}.vyre-{}-{}.tmp",
                                           target.filename().string().substr(0, kLongest),
                                           ::getpid(), counter++);
    FileHandle file = FileHandle::open(name, O_WRONLY | O_CREAT | O_EXCL);
    if (file.is_open() || errno != EEXIST) return file;
  }
}

// A rename is durable when its folder is flushed. File systems that cannot do that return an error.
bool flush_folder(const fs::path& folder) {
  const FileHandle file = FileHandle::open(folder, O_RDONLY | O_DIRECTORY);
  if (!file.is_open()) return errno == EACCES;
  return ::fsync(file.get()) == 0 || errno == EINVAL || errno == ENOTSUP;
}

Result<void> write_in_place(const fs::path& path, std::span<const std::byte> content) {
  const FileHandle file = FileHandle::open(path, O_WRONLY);
  if (!file.is_open()) return fail_io("open", path, errno);
  if (!write_all(file.get(), content)) return fail_io("write", path, errno);
  return {};
}

}  // namespace

Result<std::string> read_file(const fs::path& path, std::uint64_t max_bytes) {
  const FileHandle file = FileHandle::open(path, O_RDONLY);
  if (!file.is_open()) return fail_io("open", path, errno);
  return read_all(file, path, max_bytes);
}

Result<std::optional<std::string>> read_file_if_exists(const fs::path& path,
                                                       std::uint64_t max_bytes) {
  const FileHandle file = FileHandle::open(path, O_RDONLY);
  if (!file.is_open() && errno == ENOENT) return std::nullopt;
  if (!file.is_open()) return fail_io("open", path, errno);
  VYRE_TRY(auto content, read_all(file, path, max_bytes));
  return content;
}

Result<void> replace_file(const fs::path& path, std::span<const std::byte> content, Flush flush) {
  // Through all links, also one (/dev/stdout) to a pipe, which has no path of its own.
  struct stat before{};
  const bool existed = ::stat(path.c_str(), &before) == 0;
  if (existed && S_ISDIR(before.st_mode)) return fail_io("write", path, EISDIR);
  if (existed && !S_ISREG(before.st_mode)) return write_in_place(path, content);
  VYRE_TRY(const fs::path target, without_links(path));

  fs::path temporary;
  FileHandle file = make_temporary(target, temporary);
  if (!file.is_open()) return fail_io("write a temporary file beside", path, errno);

  const bool written = (!existed || ::fchmod(file.get(), before.st_mode & 07777) == 0) &&
                       write_all(file.get(), content) &&
                       (flush == Flush::later || ::fsync(file.get()) == 0) &&
                       ::rename(temporary.c_str(), target.c_str()) == 0;
  if (!written) {
    const int error_number = errno;
    ::unlink(temporary.c_str());
    return fail_io("write", path, error_number);
  }
  if (flush == Flush::now && !flush_folder(folder_of(target)))
    return fail_io("flush the folder of", path, errno);
  return {};
}

Result<void> replace_file(const fs::path& path, std::string_view content, Flush flush) {
  return replace_file(path, bytes_of(content), flush);
}

Result<void> make_folders(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return fail_io("make the folder", path, error.value());
  return {};
}

}  // namespace vyre
