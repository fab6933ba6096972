#include <sys/resource.h>
#include <unistd.h>

#include "vyre/base/abandonable.h"
#include "vyre/engine/compilers_internal.h"

namespace vyre {
Compilers::~Compilers() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
    jobs_.clear();
  }
  changed_.notify_all();
  // None is started any more: each asks whether it ends before it takes a job.
  for (std::thread& t : threads_) t.join();
}

void Compilers::add(std::function<void()> job) {
  {
    const std::scoped_lock lock(mutex_);
    jobs_.push_back(std::move(job));
    if (threads_.empty()) threads_.emplace_back([this] { work(); });
  }
  changed_.notify_one();
}

void Compilers::wait() {
  std::unique_lock lock(mutex_);
  waited_.wait(lock, [&] { return jobs_.empty() && running_ == 0; });
}

void Compilers::work() {
  // On Linux the nice value is the thread's own. An idle class would never come to an end beside a
  // program that keeps all processors busy.
  (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), niceness_);
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(lock, [&] { return ends_ || !jobs_.empty(); });
    --idle_;
    if (ends_) return;
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    ++running_;
    // Threads are started by threads: the caller of `add` has no time for it.
    if (idle_ < jobs_.size() && threads_.size() < most_) {
      threads_.emplace_back([this] { work(); });
    }
    lock.unlock();
    // A job that memory ran out for is left undone: nobody waits for what it was to make.
    (void)attempt_work(job);
    lock.lock();
    --running_;
    if (jobs_.empty() && running_ == 0) waited_.notify_all();
  }
}

}  // namespace vyre
