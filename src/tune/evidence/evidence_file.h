// The bytes of an evidence file: what is new in it, appending, replacing.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/base/file_handle.h"
#include "vyre/base/file_lock.h"
#include "vyre/base/private_folder.h"
#include "vyre/tune/evidence/evidence_text.h"

namespace vyre {

// A file is compacted long before it has that many.
inline constexpr std::uint64_t kMaxEvidenceBytes = std::uint64_t{256} << 20;

class EvidenceFile {
 public:
  explicit EvidenceFile(std::filesystem::path path)
      : path_(std::move(path)), name_(path_.filename().string()) {}

  struct News {
    bool from_start = false;  // the lines are all of the file: what was read before is void
    std::vector<EvidenceLine> lines;
  };
  // Whole lines behind those that were read before, or all if the file was replaced. After an error
  // nothing counts as read. No file, or none any more, is an empty one.
  Result<News> read();
  std::uint64_t bytes_read() const { return bytes_; }

  // Without a value where neither the file nor, unless it is made, its folder is there.
  enum class Missing : std::uint8_t { is_made, is_nothing };
  Result<std::optional<FileLock>> lock(Missing missing, std::chrono::milliseconds wait) const;

  // With the file's lock, when all of it was read. What a crash left of a last line goes first; the
  // lines are all in the file or none is.
  Result<void> append(const FileLock& lock, std::string_view lines);
  // With the file's lock. A crash leaves the old content or the new.
  Result<void> replace(const FileLock& lock, std::string_view content);

 private:
  const std::filesystem::path path_;
  const std::string name_;  // in its folder
  FileHandle opened_;       // kept, so that no new file has its inode; not open: there was no file
  std::uint64_t bytes_ = 0, lines_ = 0;  // read
};

}  // namespace vyre
