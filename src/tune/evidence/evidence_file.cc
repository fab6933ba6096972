#include "vyre/tune/evidence/evidence_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "vyre/base/files/files.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

Result<std::uint64_t> size_of(int descriptor, const fs::path& path) {
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) return fail_io("read", path, errno);
  const auto size = static_cast<std::uint64_t>(std::max<off_t>(0, status.st_size));
  if (size > kMaxEvidenceBytes) {
    return fail(Code::limit,
                fmt::format("{} has {} bytes, and evidence may have {}", path.string(), size,
                            kMaxEvidenceBytes),
                "remove it, or use another file");
  }
  return size;
}

Result<std::string> read_behind(int descriptor, std::uint64_t begin, std::uint64_t end,
                                const fs::path& path) {
  std::string text(end > begin ? end - begin : 0, '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t got = ::pread(descriptor, text.data() + filled, text.size() - filled,
                                static_cast<off_t>(begin + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_io("read", path, errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  text.resize(filled);
  return text;
}

}  // namespace

Result<EvidenceFile::News> EvidenceFile::read() {
  VYRE_TRY(const auto folder, PrivateFolder::find(path_.parent_path()));
  FileHandle other;
  if (!folder || !opened_.is_open() || !folder->is_current(opened_, name_)) {
    if (folder) {
      VYRE_TRY(other, folder->open(name_, O_RDONLY));
    }
    if (!other.is_open()) {
      opened_ = FileHandle();
      bytes_ = lines_ = 0;
      return News{.from_start = true, .lines = {}};
    }
  }
  const int descriptor = other.is_open() ? other.get() : opened_.get();
  VYRE_TRY(const std::uint64_t size, size_of(descriptor, path_));
  const bool from_start = other.is_open() || size < bytes_;
  const std::uint64_t begin = from_start ? 0 : bytes_;
  const std::uint64_t lines_before = from_start ? 0 : lines_;
  VYRE_TRY(const std::string text, read_behind(descriptor, begin, size, path_));
  VYRE_TRY(ParsedEvidence parsed, parse_evidence(text, lines_before, path_));
  const auto rest = std::string_view(text).substr(parsed.bytes);
  if (!may_be_torn_line(rest)) {
    return fail(Code::invalid_input,
                fmt::format("line {} of {} is no evidence, not even the beginning of some",
                            lines_before + parsed.line_ends + 1, path_.string()),
                "take that line out, or use another file");
  }
  if (other.is_open()) opened_ = std::move(other);
  bytes_ = begin + parsed.bytes;
  lines_ = lines_before + parsed.line_ends;
  return News{from_start, std::move(parsed.lines)};
}

Result<std::optional<FileLock>> EvidenceFile::lock(Missing missing,
                                                   std::chrono::milliseconds wait) const {
  if (missing == Missing::is_nothing) {
    VYRE_TRY(const auto folder, PrivateFolder::find(path_.parent_path()));
    if (!folder) return std::nullopt;
    VYRE_TRY(const auto mode, folder->mode(name_));
    if (!mode) return std::nullopt;
    VYRE_TRY(FileLock lock, FileLock::acquire(*folder, name_, wait));
    return lock;
  }
  VYRE_TRY(const PrivateFolder folder, PrivateFolder::make(path_.parent_path()));
  VYRE_TRY(FileLock lock, FileLock::acquire(folder, name_, wait));
  return lock;
}

Result<void> EvidenceFile::append(const FileLock&, std::string_view lines) {
  VYRE_TRY(const PrivateFolder folder, PrivateFolder::make(path_.parent_path()));
  VYRE_TRY(const FileHandle opened, folder.open(name_, O_RDWR | O_APPEND | O_CREAT));
  const int file = opened.get();
  VYRE_TRY(const std::uint64_t size, size_of(file, path_));
  std::string text;
  std::uint64_t keep = size;
  if (size > bytes_) {
    // Its writer has died, or it would hold the lock. A complete line that only lacks its line feed
    // was written by hand.
    VYRE_TRY(const std::string rest, read_behind(file, bytes_, size, path_));
    if (parse_evidence_line(rest)) {
      text = '\n';
    } else {
      keep = bytes_;
      if (::ftruncate(file, static_cast<off_t>(keep)) != 0) return fail_io("write", path_, errno);
    }
  }
  text.append(lines);
  if (text.size() > kMaxEvidenceBytes - keep) {
    return fail(Code::limit, fmt::format("{} would have more than {} bytes, which is the most that "
                                         "evidence may have",
                                         path_.string(), kMaxEvidenceBytes));
  }
  if (!write_all(file, std::as_bytes(std::span(text)))) {
    const int error_number = errno;
    // Removes the lines that were partly written. If this fails, a torn line remains.
    [[maybe_unused]] const int ignored = ::ftruncate(file, static_cast<off_t>(keep));
    return fail_io("append to", path_, error_number);
  }
  return {};
}

Result<void> EvidenceFile::replace(const FileLock&, std::string_view content) {
  VYRE_TRY(const PrivateFolder folder, PrivateFolder::make(path_.parent_path()));
  folder.remove_abandoned_temporaries(name_);
  return folder.replace(name_, content);
}

}  // namespace vyre
