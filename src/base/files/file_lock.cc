#include "vyre/base/files/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace vyre {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

// flock(2) orders the holders in time, but not in the memory model of C++. Each holder writes this
// when it acquires and releases the lock, which orders threads as well.
void synchronise_with_other_holders() {
  static std::atomic<unsigned> turn = 0;
  turn.fetch_add(1, std::memory_order_acq_rel);
}

// The open lock files of this process. A child of fork(2) must close them: otherwise a lock that
// its parent releases would stay held. Nobody uses a file with the mutex held, because a fork waits
// for the mutex, and the disk may not answer.
class LockFiles {
 public:
  static LockFiles& all() {
    static auto& files = *new LockFiles;
    return files;
  }
  Result<FileHandle> open(const PrivateFolder& folder, const std::string& name) {
    while (true) {
      const unsigned forks = forks_;
      VYRE_TRY(FileHandle file, folder.open(name, O_RDWR | O_CREAT));
      const std::scoped_lock lock(mutex_);
      if (forks != forks_) continue;  // a child may have a copy, and would share the lock
      open_.insert(file.get());
      return file;
    }
  }
  void close(FileHandle file) {
    // A child that is forked before the file is closed may have a copy.
    ::flock(file.get(), LOCK_UN);
    const std::scoped_lock lock(mutex_);
    open_.erase(file.get());
  }

 private:
  LockFiles() {
    ::pthread_atfork([] { all().before_fork(); }, [] { all().mutex_.unlock(); },
                     [] { all().close_all(); });
  }
  void before_fork() {
    mutex_.lock();
    ++forks_;
  }
  void close_all() {
    for (const int file : open_) ::close(file);
    open_.clear();
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::set<int> open_;
  std::atomic<unsigned> forks_ = 0;
};

}  // namespace

FileLock::~FileLock() {
  if (!file_.is_open()) return;
  synchronise_with_other_holders();
  LockFiles::all().close(std::move(file_));
}

Result<FileLock> FileLock::acquire(const PrivateFolder& folder, const std::string& name,
                                   std::chrono::milliseconds wait) {
  // flock(2) cannot wait with a timeout, so this polls, at short intervals first.
  constexpr microseconds kLongestPause{5'000};
  const std::string lock_name = fmt::format(".{}.lock", name);
  const auto deadline = steady_clock::now() + wait;
  microseconds pause{50};
  while (true) {
    VYRE_TRY(FileHandle file, LockFiles::all().open(folder, lock_name));
    FileLock lock(std::move(file));
    const int descriptor = lock.file_.get();
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
      // The folder may have been cleared meanwhile.
      if (folder.is_current(lock.file_, lock_name)) {
        synchronise_with_other_holders();
        return lock;
      }
    } else if (errno != EWOULDBLOCK && errno != EINTR) {
      return fail_io("lock", folder.path() / lock_name, errno);
    }
    if (steady_clock::now() >= deadline) {
      return fail(Code::unavailable, fmt::format("another process holds the lock of {}",
                                                 (folder.path() / name).string()));
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
  }
}

}  // namespace vyre
