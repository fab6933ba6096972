#include "vyre/base/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <thread>

namespace vyre {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

// Whether the open file is still the one that the path leads to.
bool is_current(const FileHandle& file, const std::filesystem::path& path) {
  struct stat opened{};
  struct stat named{};
  return ::fstat(file.get(), &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

// flock(2) orders holders in time, but the language does not know it: each holder touches this on
// its way in and out, which makes the order one between threads too.
void synchronise_with_other_holders() {
  static std::atomic<unsigned> turn = 0;
  turn.fetch_add(1, std::memory_order_acq_rel);
}

}  // namespace

FileLock::~FileLock() {
  if (file_.is_open()) synchronise_with_other_holders();
}

Result<FileLock> FileLock::acquire(const std::filesystem::path& path,
                                   std::chrono::milliseconds wait) {
  // flock(2) can wait, but not for a given time: so it is asked again and again, soon at first.
  constexpr microseconds kLongestPause{5'000};
  const auto deadline = steady_clock::now() + wait;
  microseconds pause{50};
  FileHandle file;
  while (true) {
    if (!file.is_open()) {
      file = FileHandle::open(path, O_RDWR | O_APPEND | O_CREAT);
      if (!file.is_open()) return fail_io("open", path, errno);
    }
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) {
      if (is_current(file, path)) {
        synchronise_with_other_holders();
        return FileLock(std::move(file));
      }
      file = FileHandle();
    } else if (errno != EWOULDBLOCK && errno != EINTR) {
      return fail_io("lock", path, errno);
    }
    if (steady_clock::now() >= deadline) {
      return fail(Code::unavailable,
                  fmt::format("{} is locked by another user of it for more than {} ms",
                              path.string(), wait.count()));
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
  }
}

}  // namespace vyre
