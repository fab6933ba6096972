#include "vyre/device/cpu/watchdog.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace vyre {

Watchdog::~Watchdog() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Result<std::uint64_t> Watchdog::arm(Clock::time_point when, Flags flags) {
  const std::scoped_lock lock(mutex_);
  try {
    if (!thread_.joinable()) thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error& e) {
    // The system gives the same error if the stack does not fit into memory and if there are too
    // many threads.
    return fail(Code::out_of_memory,
                fmt::format("no thread can watch over the deadline: {}", e.what()),
                "run without a deadline, or allow more memory or threads");
  }
  const std::uint64_t id = next_id_++;
  entries_.emplace(id, Entry{when, flags});
  changed_.notify_all();
  return id;
}

void Watchdog::disarm(std::uint64_t id) {
  const std::scoped_lock lock(mutex_);
  entries_.erase(id);
}

Result<void> Watchdog::Guard::arm(Clock::time_point when, Flags flags) {
  VYRE_TRY(id_, watchdog_.arm(when, flags));
  return {};
}

void Watchdog::begin_again() {
  abandon(thread_);
  make_anew(changed_);
  entries_.clear();
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    const auto now = Clock::now();
    std::erase_if(entries_, [&](const auto& entry) {
      if (entry.second.when > now) return false;
      for (auto* flag : entry.second.flags) {
        std::uint32_t clear = 0;
        flag->compare_exchange_strong(clear, kRaised, std::memory_order_relaxed);
      }
      return true;
    });
    if (entries_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const auto earliest =
        std::ranges::min_element(entries_, {}, [](const auto& entry) { return entry.second.when; });
    const auto when = earliest->second.when;  // the entry may go while this thread waits
    changed_.wait_until(lock, when);
  }
}

}  // namespace vyre
