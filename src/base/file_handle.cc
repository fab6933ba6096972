#include "vyre/base/file_handle.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
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
  return fail(Code::io,
              fmt::format("cannot {} {}: {}", action, path.string(),
                          std::generic_category().message(error_number)),
              {}, where);
}

}  // namespace vyre
