#include "vyre/device/cpu/thread_pool.h"

#include <system_error>

namespace vyre {

void ThreadPool::start() {
  started_ = true;
  try {
    workers_.reserve(threads_ - 1);
    for (unsigned i = 1; i < threads_; ++i) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // The system has no more threads for us.
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  for (std::thread& t : workers_) t.join();
}

void ThreadPool::drain(Job& job) {
  for (;;) {
    const std::uint64_t i = job.next.fetch_add(1, std::memory_order_relaxed);
    if (i >= job.count) return;
    job.call(job.task, i);
  }
}

void ThreadPool::work() {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return ending_ || (job_ != nullptr && generation_ != seen); });
    if (ending_) return;
    seen = generation_;
    Job& job = *job_;
    ++busy_;
    lock.unlock();
    drain(job);
    lock.lock();
    if (--busy_ == 0) idle_.notify_one();
  }
}

void ThreadPool::run_job(std::uint64_t count, Call call, const void* task) {
  Job job;
  job.call = call;
  job.task = task;
  job.count = count;
  std::unique_lock turn(asking_, std::defer_lock);
  if (count < 2 || threads_ < 2 || !turn.try_lock()) {
    drain(job);
    return;
  }
  if (!started_) start();
  {
    const std::scoped_lock lock(mutex_);
    job_ = &job;
    ++generation_;
  }
  wake_.notify_all();
  drain(job);
  std::unique_lock lock(mutex_);
  job_ = nullptr;
  idle_.wait(lock, [&] { return busy_ == 0; });
}

}  // namespace vyre
