#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <exception>

#include "vyre/base/log.h"
#include "vyre/engine/code/compilers_internal.h"

namespace vyre {
Compilers::~Compilers() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = 1;
    jobs_.clear();
  }
  changed_.notify_all();
  // No thread is started any more: each tests `ends_` before it takes a job.
  for (std::thread& t : threads_) t.join();
}

void Compilers::begin_again() {
  abandon(threads_);
  threads_.clear();
  make_anew(changed_);
  make_anew(waited_);
  abandon(jobs_);
  jobs_.clear();
  running_ = 0;
  idle_ = 0;
}

void Compilers::add(std::function<void()> job) {
  {
    const std::scoped_lock lock(mutex_);
    jobs_.push_back(std::move(job));
    if (threads_.empty()) start_thread();
  }
  changed_.notify_one();
}

void Compilers::wait() {
  std::unique_lock lock(mutex_);
  while (threads_.empty() && !jobs_.empty()) run_next(lock);
  waited_.wait(lock, [&] { return jobs_.empty() && running_ == 0; });
}

// If the system gives no thread or no memory for one, jobs wait until the next job is added or
// `wait` is called.
void Compilers::start_thread() {
  try {
    threads_.emplace_back([this] { work(); });
  } catch (const std::exception& none) {
    VYRE_LOG(debug, "no thread can compile in the background: {}", none.what());
  }
}

void Compilers::run_next(std::unique_lock<ForkSafeMutex>& lock) {
  const std::function<void()> job = std::move(jobs_.front());
  jobs_.pop_front();
  ++running_;
  // Further threads are started here, because that would take the caller of `add` too long.
  if (!threads_.empty() && idle_ < jobs_.size() && threads_.size() < most_) start_thread();
  lock.unlock();
  if (const auto done = attempt_work(job); !done) {
    VYRE_LOG(warn, "work in the background failed: {}", describe(done.error()));
  }
  lock.lock();
  --running_;
  if (jobs_.empty() && running_ == 0) waited_.notify_all();
}

void Compilers::work() {
  // On Linux each thread has its own nice value. A thread of the idle class would never finish
  // beside a program that keeps all processors busy.
  (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), niceness_);
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(lock, [&] { return ends_ != 0 || !jobs_.empty(); });
    --idle_;
    if (ends_ != 0) return;
    run_next(lock);
  }
}

}  // namespace vyre
