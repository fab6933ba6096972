// The bytes of an evidence file: reading new lines, appending, replacing.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/base/files/file_handle.h"
#include "vyre/base/files/file_lock.h"
#include "vyre/base/files/private_folder.h"
#include "vyre/tune/evidence/evidence_text.h"

namespace vyre {

// Files are compacted long before they reach this size.
inline constexpr std::uint64_t kMaxEvidenceBytes = std::uint64_t{256} << 20;

class EvidenceFile {
 public:
  explicit EvidenceFile(std::filesystem::path path)
      : path_(std::move(path)), name_(path_.filename().string()) {}

  struct News {
    bool from_start = false;  // the lines are the whole file, and replace those read before
    std::vector<EvidenceLine> lines;
  };
  // The complete lines after those read before, or all lines if the file was replaced. After an
  // error nothing counts as read. A missing file counts as empty.
  Result<News> read();
  std::uint64_t bytes_read() const { return bytes_; }

  // Absent if the folder does not exist and is not to be made.
  enum class Missing : std::uint8_t { is_made, is_nothing };
  Result<std::optional<FileLock>> lock(Missing missing, std::chrono::milliseconds wait) const;

  // With the file's lock held and the whole file read. Removes an incomplete last line first.
  // Either all lines are written or none.
  Result<void> append(const FileLock& lock, std::string_view lines);
  // With the file's lock held. A crash leaves the old content or the new content.
  Result<void> replace(const FileLock& lock, std::string_view content);

 private:
  const std::filesystem::path path_;
  const std::string name_;  // in its folder
  FileHandle opened_;  // kept open, so that its inode is not reused; not open: there was no file
  std::uint64_t bytes_ = 0, lines_ = 0;  // read so far
};

}  // namespace vyre
