#include "vyre/base/files/file_handle.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <system_error>

namespace vyre {

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FileHandle::~FileHandle() {
  if (!is_open()) return;
  const int saved = errno;
  ::close(descriptor_);
  errno = saved;
}

FileHandle FileHandle::open(const std::filesystem::path& path, int flags, unsigned mode) {
  while (true) {
    const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, mode);
    if (descriptor >= 0 || errno != EINTR) return FileHandle(descriptor);
  }
}

FileHandle FileHandle::open_at(int folder, const std::string& name, int flags, unsigned mode) {
  while (true) {
    const int descriptor = ::openat(folder, name.c_str(), flags | O_CLOEXEC, mode);
    if (descriptor >= 0 || errno != EINTR) return FileHandle(descriptor);
  }
}

Result<std::string> read_all(const FileHandle& file, const std::filesystem::path& path,
                             std::uint64_t max_bytes) {
  std::string content;
  const auto too_large = [&] {
    return fail(Code::limit,
                fmt::format("{} has more than {} bytes, which is the most that is read here",
                            path.string(), max_bytes));
  };
  struct stat status{};
  if (::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    const auto size = static_cast<std::uint64_t>(status.st_size);
    const off_t at = ::lseek(file.get(), 0, SEEK_CUR);
    if (at == 0 && size > max_bytes) return too_large();
    content.reserve(std::min(size, max_bytes));
  }
  std::array<char, 65536> piece;
  while (true) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_io("read", path, errno);
    if (got == 0) return content;
    if (static_cast<std::uint64_t>(got) > max_bytes - content.size()) return too_large();
    content.append(piece.data(), static_cast<std::size_t>(got));
  }
}

std::string system_text(const std::filesystem::path& path) {
  const FileHandle file = FileHandle::open(path, O_RDONLY);
  std::string text;
  std::array<char, 4096> piece;
  while (text.size() < std::size_t{64} << 10) {
    const ssize_t got = file.is_open() ? ::read(file.get(), piece.data(), piece.size()) : -1;
    if (got > 0) {
      text.append(piece.data(), static_cast<std::size_t>(got));
    } else if (got == 0) {
      return text;
    } else if (errno == ENOMEM) {
      throw std::bad_alloc();
    } else if (errno != EINTR) {
      return {};
    }
  }
  return text;
}

bool write_all(int descriptor, std::span<const std::byte> content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    content = content.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

std::unexpected<Error> fail_io(std::string_view action, const std::filesystem::path& path,
                               int error_number, std::source_location where) {
  return fail(error_number == ENOMEM ? Code::out_of_memory : Code::io,
              fmt::format("cannot {} {}: {}", action, path.string(),
                          std::generic_category().message(error_number)),
              {}, where);
}

}  // namespace vyre
