#include "vyre/device/cpu/thread_pool.h"

#include <fmt/format.h>
#include <xmmintrin.h>

#include <algorithm>
#include <exception>

#include "vyre/base/log.h"

namespace vyre {
namespace {

// The number of jobs after which missing workers are asked for again, which costs system calls.
constexpr std::uint32_t kJobsBetweenStarts = 1000;
constexpr std::chrono::microseconds kBetweenTries{50};  // to get the workers

// Waits until `done` is true or the time is over; returns whether it is true.
template <class Done>
bool watch(std::chrono::microseconds time, const Done& done) {
  constexpr int kLooks = 32;  // tests of `done` between two reads of the clock
  if (time.count() == 0) return done();
  const auto end = std::chrono::steady_clock::now() + time;
  do {
    for (int i = 0; i < kLooks; ++i) {
      if (done()) return true;
      _mm_pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return done();
}

}  // namespace

bool ThreadPool::start() {
  if (until_start_ > 0) {
    --until_start_;
    return !shares_.empty();
  }
  until_start_ = kJobsBetweenStarts;
  try {
    if (shares_.empty()) {
      CPU_ZERO(&allowed_);
      if (sched_getaffinity(0, sizeof allowed_, &allowed_) != 0) CPU_ZERO(&allowed_);
      workers_.reserve(threads_ - 1);
      shares_ = std::vector<Share>(threads_);
    }
    while (workers_.size() < threads_ - 1) {
      const auto number = static_cast<unsigned>(workers_.size()) + 1;
      workers_.emplace_back([this, number] { work(number); });
    }
  } catch (const std::exception& none) {
    VYRE_LOG(debug, "the pool has {} threads, not {}: {}", workers_.size() + 1, threads_,
             none.what());
  }
  return !shares_.empty();
}

ThreadPool::~ThreadPool() {
  ending_ = true;
  ++generation_;
  {
    const std::scoped_lock lock(mutex_);
  }
  wake_.notify_all();
  for (std::thread& t : workers_) t.join();
}

void ThreadPool::begin_again() {
  abandon(workers_);
  workers_.clear();
  make_anew(asking_);
  make_anew(mutex_);
  make_anew(wake_);
  make_anew(idle_);
  until_start_ = 0;
  job_ = nullptr;
  busy_ = 0;
  sleeping_ = 0;
  asker_sleeps_ = false;
}

void ThreadPool::drain(const Job& job, unsigned self) {
  for (unsigned i = 0; i < threads_; ++i) {
    Share& share = shares_[(self + i) % threads_];
    while (share.next.load(std::memory_order_relaxed) < share.end) {
      const std::uint64_t task = share.next.fetch_add(1, std::memory_order_relaxed);
      if (task < share.end) job.call(job.task, task, self);
    }
  }
}

void ThreadPool::wait_for_work(std::uint64_t seen) {
  const auto there = [&] { return generation_.load() != seen; };
  if (watch(watch_, there)) return;
  std::unique_lock lock(mutex_);
  ++sleeping_;
  wake_.wait(lock, there);
  --sleeping_;
}

// On a busy machine the scheduler may keep a worker on the processor of the calling thread for
// long, where the two only take time from each other.
void ThreadPool::keep_away() {
  const int processor = processor_.load(std::memory_order_relaxed);
  if (processor < 0 || sched_getcpu() != processor) return;
  cpu_set_t others = allowed_;
  CPU_CLR(processor, &others);
  if (CPU_COUNT(&others) != 0) (void)sched_setaffinity(0, sizeof others, &others);
}

void ThreadPool::work(unsigned self) {
  std::uint64_t seen = 0;
  for (;;) {
    wait_for_work(seen);
    if (ending_) return;
    seen = generation_.load();
    if (self >= wanted_) continue;
    keep_away();
    ++busy_;
    if (const Job* job = job_.load(); job != nullptr) drain(*job, self);
    if (--busy_ == 0 && asker_sleeps_) {
      {
        const std::scoped_lock lock(mutex_);
      }
      idle_.notify_one();
    }
  }
}

void ThreadPool::wait_for_workers() {
  const auto idle = [&] { return busy_.load() == 0; };
  if (watch(watch_, idle)) return;
  std::unique_lock lock(mutex_);
  asker_sleeps_ = true;
  idle_.wait(lock, idle);
  asker_sleeps_ = false;
}

void ThreadPool::run_job(std::uint64_t count, Call call, const void* task) {
  std::unique_lock turn(asking_, std::defer_lock);
  const auto alone = [&] {
    for (std::uint64_t i = 0; i < count; ++i) call(task, i, 0);
  };
  if (count < 2 || threads_ < 2 || !turn.try_lock()) return alone();
  if (workers_.size() + 1 < threads_ && !start()) return alone();
  share_out(count, {call, task});
}

// Each thread begins with its own share, which is one call here, and helps others only afterwards.
ThreadPool::AtOnce ThreadPool::run_job_at_once(std::uint64_t count, Call call, const void* task,
                                               const std::atomic<std::uint32_t>& stop) {
  if (count > threads_) return AtOnce::few_threads;
  std::unique_lock turn(asking_, std::defer_lock);
  while (!turn.try_lock()) {
    if (stop.load(std::memory_order_relaxed) != 0) return AtOnce::stopped;
    std::this_thread::sleep_for(kBetweenTries);
  }
  if (workers_.size() + 1 < count) {
    until_start_ = 0;
    if (!start() || workers_.size() + 1 < count) return AtOnce::few_threads;
  }
  if (count == 1) {
    call(task, 0, 0);
  } else if (count > 1) {
    share_out(count, {call, task});
  }
  return AtOnce::ran;
}

void ThreadPool::share_out(std::uint64_t count, const Job& job) {
  const std::uint64_t each = count / threads_, more = count % threads_;
  std::uint64_t first = 0;
  for (unsigned i = 0; i < threads_; ++i) {
    shares_[i].next.store(first, std::memory_order_relaxed);
    first += each + (i < more ? 1 : 0);
    shares_[i].end = first;
  }
  wanted_ = static_cast<unsigned>(std::min<std::uint64_t>(count, threads_));
  processor_.store(sched_getcpu(), std::memory_order_relaxed);
  job_ = &job;
  ++generation_;
  if (sleeping_ != 0) {
    {
      const std::scoped_lock lock(mutex_);
    }
    wake_.notify_all();
  }
  drain(job, 0);
  job_ = nullptr;
  wait_for_workers();
}

}  // namespace vyre
