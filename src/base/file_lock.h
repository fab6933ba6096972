// An advisory lock on a file, between processes and between threads of one process alike.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "vyre/base/error.h"
#include "vyre/base/file_handle.h"
#include "vyre/base/private_folder.h"

namespace vyre {

inline constexpr std::chrono::milliseconds kDefaultLockWait{10'000};

// Held from acquire() until the object goes, or the process ends in whatever way. Only those who
// ask for the lock are kept out. One holder is enough to exclude everybody else, its own thread
// included. What a thread wrote to memory while it held the lock is seen by the next thread that
// holds it.
//
// The lock of the file `name` is a file of its own beside it, `.name.lock`, that only its owner can
// open: a user who can read the file cannot take its lock. The lock file stays there.
class FileLock {
 public:
  // Code::unavailable when `wait` has passed and somebody else still holds the lock.
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
