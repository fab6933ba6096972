#include "vyre/base/memory/memory_promise.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "vyre/base/process/fork_watch.h"

namespace vyre {
namespace {

constexpr std::chrono::milliseconds kPeriod{5};  // how often one that waits looks at its limits

struct Promises {
  std::mutex mutex;
  std::condition_variable given_back;
  std::uint64_t bytes = 0;
  ForkGuard<std::mutex> guard{mutex};
  // What other threads were promised is given back in the parent alone.
  ForkWatch watch{{.in_child = [this] {
    make_anew(given_back);
    bytes = 0;
  }}};
};

Promises& all_promises() {
  static Promises& all = *new Promises;  // never destroyed: work that was left may outlive it
  return all;
}

class Promise {
 public:
  Promise() = default;
  ~Promise() {
    Promises& all = all_promises();
    const std::scoped_lock lock(all.mutex);
    all.bytes -= std::min(all.bytes, bytes_);  // in a forked child it may be gone
    all.given_back.notify_all();
  }
  Promise(const Promise&) = delete;
  Promise& operator=(const Promise&) = delete;

  // With the mutex locked.
  void give(std::uint64_t bytes) { all_promises().bytes += bytes_ = bytes; }

 private:
  std::uint64_t bytes_ = 0;
};

}  // namespace

Result<std::shared_ptr<const void>> promise_memory(
    std::uint64_t bytes, std::string_view what, const WorkLimits& limits,
    const std::function<MemoryHeadroom()>& headroom) {
  auto promise = std::make_shared<Promise>();
  Promises& all = all_promises();
  std::unique_lock lock(all.mutex);
  for (MemoryHeadroom left = headroom(); left.bytes < bytes + all.bytes; left = headroom()) {
    if (all.bytes == 0) {
      return fail(Code::out_of_memory,
                  fmt::format("{} may take {} MiB, and {} leaves {} MiB", what, bytes >> 20,
                              left.limit, left.bytes >> 20),
                  "raise the limit");
    }
    if (limits.over()) return std::unexpected(over_error(limits, what));
    all.given_back.wait_for(lock, kPeriod);
  }
  promise->give(bytes);
  return promise;
}

}  // namespace vyre
