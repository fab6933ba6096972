#include "vyre/base/files/disk_wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "vyre/base/process/fork_watch.h"

namespace vyre {
namespace {

using Clock = std::chrono::steady_clock;

// The threads that still wait for a disk although their callers have left. A folder is silent once
// one of its threads has waited for as long as anybody may, or where callers with short deadlines
// leave more and more of them.
class LeftThreads {
 public:
  static LeftThreads& all() {
    static auto& threads = *new LeftThreads;
    return threads;
  }
  void add(const std::filesystem::path& folder, Clock::time_point since) {
    const std::scoped_lock lock(mutex_);
    since_.emplace(folder, since);
  }
  void remove(const std::filesystem::path& folder, Clock::time_point since) {
    const std::scoped_lock lock(mutex_);
    const auto [begin, end] = since_.equal_range(folder);
    const auto at =
        std::find_if(begin, end, [&](const auto& left) { return left.second == since; });
    if (at != end) since_.erase(at);
  }
  bool is_silent(const std::filesystem::path& folder) {
    constexpr std::ptrdiff_t kMost = 16;
    const std::scoped_lock lock(mutex_);
    const auto [begin, end] = since_.equal_range(folder);
    const auto silent_since = Clock::now() - kDiskWait;
    return std::distance(begin, end) >= kMost ||
           std::any_of(begin, end, [&](const auto& left) { return left.second <= silent_since; });
  }

 private:
  ForkSafeMutex mutex_;
  std::multimap<std::filesystem::path, Clock::time_point> since_;
  ForkWatch watch_{{.in_child = [this] { since_.clear(); }}};  // they are not there
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
  if (limits.over()) return std::unexpected(over_error(limits, "using a file"));
  if (LeftThreads::all().is_silent(folder)) return silent(folder);
  const auto begin = Clock::now();
  const auto meeting = std::make_shared<Meeting>();
  const auto run = [=, work = std::move(work)] {
    const Result<void> ran = attempt_work(work);
    {
      const std::scoped_lock lock(meeting->mutex);
      meeting->has_ended = true;
      if (meeting->was_left) LeftThreads::all().remove(folder, begin);
    }
    if (!ran) abandon_work(ran.error());
  };
  WorkLimits most = limits;
  most.deadline = std::min(most.deadline, begin + kDiskWait);
  Result<void> ran = run_abandonable("using a file", run, most, WorkKind::waits_for_disk);
  if (ran || !most.over()) return ran;
  const std::scoped_lock lock(meeting->mutex);
  if (meeting->has_ended) return ran;
  meeting->was_left = true;
  LeftThreads::all().add(folder, begin);
  if (Clock::now() < begin + kDiskWait) return ran;
  return silent(folder);
}

}  // namespace vyre
