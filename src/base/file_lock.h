// An advisory lock on a file, between processes and between threads of one process alike.
#pragma once

#include <chrono>
#include <filesystem>
#include <utility>

#include "vyre/base/error.h"
#include "vyre/base/file_handle.h"

namespace vyre {

inline constexpr std::chrono::milliseconds kDefaultLockWait{10'000};

// Held from acquire() until the object goes, or the process ends in whatever way. Only those who
// ask for the lock are kept out. One holder is enough to exclude everybody else, its own thread
// included: do not acquire (or append_line to) a file whose lock one holds.
//
// The lock belongs to the file that the path leads to at the moment of the return: if the holder
// before replaced the file, the new one is locked. So `acquire; read_file; replace_file; release`
// loses nothing that others append. What a thread wrote to memory while it held the lock is seen by
// the next thread that holds it.
class FileLock {
 public:
  // Makes the file, empty, if it is not there. Code::unavailable when `wait` has passed and
  // somebody else still holds the lock.
  static Result<FileLock> acquire(const std::filesystem::path& path,
                                  std::chrono::milliseconds wait = kDefaultLockWait);

  FileLock(FileLock&&) noexcept = default;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

  // The locked file, open for reading and appending.
  [[nodiscard]] int descriptor() const { return file_.get(); }

 private:
  explicit FileLock(FileHandle file) : file_(std::move(file)) {}

  FileHandle file_;  // closing it releases the lock
};

}  // namespace vyre
