// An advisory lock on a file, between processes and between threads of one process alike.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "vyre/base/error.h"
#include "vyre/base/files/file_handle.h"
#include "vyre/base/files/private_folder.h"

namespace vyre {

inline constexpr std::chrono::milliseconds kDefaultLockWait{10'000};

// Held from acquire() until the object is destroyed or the process ends. The lock is advisory and
// exclusive, also between calls on one thread. A thread that acquires the lock sees all memory that
// the previous holder wrote.
//
// The lock of the file `name` is a separate file `.name.lock` beside it, which only its owner can
// open: a user who can read the file cannot take its lock. The lock file is never removed.
class FileLock {
 public:
  // Code::unavailable if the lock is still held by another after `wait`.
  static Result<FileLock> acquire(const PrivateFolder& folder, const std::string& name,
                                  std::chrono::milliseconds wait = kDefaultLockWait);

  FileLock(FileLock&&) noexcept = default;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  explicit FileLock(FileHandle file) : file_(std::move(file)) {}

  FileHandle file_;  // closing it releases the lock
};

}  // namespace vyre
