#include "vyre/tune/evidence/evidence_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <random>
#include <utility>

#include "vyre/base/process/abandonable.h"

namespace vyre {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// The pause after a failed try while no thread waits; it doubles each time.
constexpr milliseconds kFirstPause{250};
constexpr milliseconds kLongestPause{8'000};
constexpr milliseconds kLockPause{20};

}  // namespace

std::string new_writer() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

EvidenceQueue::EvidenceQueue(Write write) : write_(std::move(write)), writer_(new_writer()) {}

EvidenceQueue::~EvidenceQueue() { end(milliseconds::max()); }

std::string EvidenceBatch::line_name(std::size_t event) const {
  return fmt::format("{}-{}", writer, first_line + event);
}

std::optional<EvidenceBatch> EvidenceQueue::add(TuningKey key, std::vector<EvidenceEvent> events) {
  const std::scoped_lock lock(mutex_);
  if (events_ + events.size() > kMostEvents) {
    dropped_ += events.size();
    return std::nullopt;
  }
  const std::size_t count = events.size();
  EvidenceBatch batch{std::move(key), std::move(events), writer_, next_line_};
  batches_.push_back(batch);
  next_line_ += count;
  events_ += count;
  ++added_;
  start();
  wake_.notify_one();
  return batch;
}

std::vector<EvidenceBatch> EvidenceQueue::waiting() const {
  const std::scoped_lock lock(mutex_);
  return {batches_.begin(), batches_.end()};
}

void EvidenceQueue::start() {
  if (thread_ || ending_) return;
  try {
    thread_ = std::make_unique<std::thread>([this] { work(); });
    has_ended_ = false;
  } catch (const std::exception&) {
    // The system gives no thread, or no memory for one. The next call tries again.
  }
}

bool EvidenceQueue::try_front(std::unique_lock<std::mutex>& lock) {
  ++tries_;
  hurry_ = false;
  const EvidenceBatch& front = batches_.front();  // only this thread removes it
  lock.unlock();
  Result<void> done;
  const Result<void> ran = attempt_work([&] { done = write_(front); });
  if (!ran) done = ran;
  lock.lock();
  tries_ended_ = tries_;
  failed_ = !done;
  if (done) {
    events_ -= front.events.size();
    batches_.pop_front();
    ++written_;
    if (batches_.empty()) failure_.reset();
  } else {
    only_locked_ = done.error().code == Code::unavailable;
    if (!failure_) failure_ = std::move(done).error();
  }
  changed_.notify_all();
  return done.has_value();
}

void EvidenceQueue::work() {
  std::unique_lock lock(mutex_);
  milliseconds pause = kFirstPause;
  while (true) {
    wake_.wait(lock, [&] { return ending_ || !batches_.empty(); });
    if (ending_) break;
    if (try_front(lock)) {
      pause = kFirstPause;
      continue;
    }
    wake_.wait_for(lock, only_locked_ ? kLockPause : pause, [&] { return ending_ || hurry_; });
    pause = std::min(2 * pause, kLongestPause);
  }
  has_ended_ = true;
  changed_.notify_all();
}

EvidenceQueue::Left EvidenceQueue::flush(milliseconds wait) {
  const auto deadline = steady_clock::now() + wait;
  std::unique_lock lock(mutex_);
  const std::uint64_t last = added_;
  const std::uint64_t next_try = tries_ + 1;
  if (written_ < last) start();
  if (thread_) {
    hurry_ = true;
    wake_.notify_one();
    changed_.wait_until(lock, deadline, [&] {
      return written_ >= last || (tries_ended_ >= next_try && failed_ && !only_locked_);
    });
  } else if (written_ < last && !failure_) {
    failure_ = Error{Code::out_of_memory, "the system gives no thread that could write it", {}};
  }
  Left left{.events = events_, .failure = failure_};
  left.dropped = std::exchange(dropped_, 0);
  left.no_memory = std::exchange(no_memory_, false);
  if (written_ >= last) left.events = 0, left.failure.reset();
  return left;
}

bool EvidenceQueue::end(milliseconds wait) {
  std::unique_lock lock(mutex_);
  ending_ = true;
  wake_.notify_one();
  if (!thread_) return true;
  const auto ended = [&] { return has_ended_; };
  if (wait == milliseconds::max()) {
    changed_.wait(lock, ended);
  } else if (!changed_.wait_for(lock, wait, ended)) {
    return false;
  }
  const std::unique_ptr<std::thread> thread = std::move(thread_);
  lock.unlock();
  thread->join();
  return true;
}

void EvidenceQueue::count_dropped(std::size_t events) {
  const std::scoped_lock lock(mutex_);
  dropped_ += events;
  no_memory_ = true;
}

void EvidenceQueue::after_fork_in_child() {
  // Neither the writing thread nor waiting threads exist in the child.
  static_cast<void>(thread_.release());
  new (&wake_) std::condition_variable;
  new (&changed_) std::condition_variable;
  writer_ = new_writer();
  next_line_ = 0;
  batches_.clear();
  events_ = dropped_ = 0;
  no_memory_ = false;
  written_ = added_;
  tries_ended_ = tries_;
  failure_.reset();
  failed_ = hurry_ = false;
  mutex_.unlock();
}

}  // namespace vyre
