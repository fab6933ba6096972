#include "vyre/base/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <thread>

namespace vyre {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

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

Result<FileLock> FileLock::acquire(const PrivateFolder& folder, const std::string& name,
                                   std::chrono::milliseconds wait) {
  // flock(2) can wait, but not for a given time: so it is asked again and again, soon at first.
  constexpr microseconds kLongestPause{5'000};
  const std::string lock_name = fmt::format(".{}.lock", name);
  const auto deadline = steady_clock::now() + wait;
  microseconds pause{50};
  FileHandle file;
  while (true) {
    if (!file.is_open()) {
      VYRE_TRY(file, folder.open(lock_name, O_RDWR | O_CREAT));
    }
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) {
      // Somebody may have cleared the folder meanwhile.
      if (folder.is_current(file, lock_name)) {
        synchronise_with_other_holders();
        return FileLock(std::move(file));
      }
      file = FileHandle();
    } else if (errno != EWOULDBLOCK && errno != EINTR) {
      return fail_io("lock", folder.path() / lock_name, errno);
    }
    if (steady_clock::now() >= deadline) {
      return fail(Code::unavailable,
                  fmt::format("{} is locked by another user of it for more than {} ms",
                              (folder.path() / name).string(), wait.count()));
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
  }
}

}  // namespace vyre
