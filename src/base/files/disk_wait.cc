#include "vyre/base/files/disk_wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "vyre/base/process/fork_watch.h"

namespace vyre {
namespace {

// The folders for whose disks a thread still waits whose caller has left.
class SilentFolders {
 public:
  static SilentFolders& all() {
    static auto& folders = *new SilentFolders;
    return folders;
  }
  void add(const std::filesystem::path& folder) {
    const std::scoped_lock lock(mutex_);
    ++threads_[folder];
  }
  void remove(const std::filesystem::path& folder) {
    const std::scoped_lock lock(mutex_);
    const auto at = threads_.find(folder);
    if (at != threads_.end() && --at->second == 0) threads_.erase(at);
  }
  bool contains(const std::filesystem::path& folder) {
    const std::scoped_lock lock(mutex_);
    return threads_.contains(folder);
  }

 private:
  ForkSafeMutex mutex_;
  std::map<std::filesystem::path, int> threads_;
  ForkWatch watch_{{.in_child = [this] { threads_.clear(); }}};  // they are not there
};

// Who of the two comes second, the thread or its caller, knows of the other.
struct Meeting {
  std::mutex mutex;
  bool has_ended = false, was_left = false;
};

std::unexpected<Error> silent(const std::filesystem::path& folder) {
  return fail(Code::unavailable, fmt::format("the disk of {} does not answer", folder.string()));
}

}  // namespace

Result<void> disk_detail::wait_for(const std::filesystem::path& folder, std::function<void()> work,
                                   const WorkLimits& limits) {
  if (SilentFolders::all().contains(folder)) return silent(folder);
  const auto meeting = std::make_shared<Meeting>();
  const auto run = [=, work = std::move(work)] {
    const Result<void> ran = attempt_work(work);
    {
      const std::scoped_lock lock(meeting->mutex);
      meeting->has_ended = true;
      if (meeting->was_left) SilentFolders::all().remove(folder);
    }
    if (!ran) abandon_work(ran.error());
  };
  WorkLimits most = limits;
  most.deadline = std::min(most.deadline, std::chrono::steady_clock::now() + kDiskWait);
  Result<void> ran = run_abandonable("using a file", run, most, WorkKind::waits_for_disk);
  if (ran || !most.over()) return ran;
  const std::scoped_lock lock(meeting->mutex);
  if (meeting->has_ended) return ran;
  meeting->was_left = true;
  SilentFolders::all().add(folder);
  return silent(folder);
}

}  // namespace vyre
