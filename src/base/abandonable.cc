#include "vyre/base/abandonable.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <new>

namespace vyre {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kStack = std::size_t{16} << 20;
constexpr std::chrono::milliseconds kStopPeriod{5};  // how often a waiting caller looks at `stop`
constexpr std::chrono::seconds kMostAtExit{5};

struct Abandoned {
  Error why;
};

struct Job {
  std::function<void()> work;
  std::atomic<bool> unwanted = false;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Result<void>> result;  // once the work has ended
};

thread_local int attempts = 0;        // that this thread is in
thread_local Job* own_job = nullptr;  // that this thread was made for

// How many threads are at work. One that nobody waits for any more may use objects that are
// destroyed when the process exits: it is given some time to end before that.
class Threads {
 public:
  void add(int count) {
    const std::scoped_lock lock(mutex_);
    count_ += count;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kMostAtExit, [&] { return count_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

Threads& threads() {
  static Threads& all = *new Threads;  // never destroyed: threads may outlive it
  struct AtExit {
    ~AtExit() { all.wait(); }
  };
  static const AtExit at_exit;
  return all;
}

void* run_job(void* argument) {
  std::shared_ptr<Job> job = std::move(*static_cast<std::shared_ptr<Job>*>(argument));
  delete static_cast<std::shared_ptr<Job>*>(argument);
  own_job = job.get();
  auto result = attempt_work(job->work);
  job->work = nullptr;
  {
    const std::scoped_lock lock(job->mutex);
    job->result = std::move(result);
    job->changed.notify_all();
  }
  job.reset();
  threads().add(-1);
  return nullptr;
}

int start_thread(std::shared_ptr<Job>* job) {
  pthread_attr_t attributes;
  if (const int status = pthread_attr_init(&attributes); status != 0) return status;
  pthread_attr_setstacksize(&attributes, kStack);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread{};
  const int status = pthread_create(&thread, &attributes, run_job, job);
  pthread_attr_destroy(&attributes);
  return status;
}

// Waits for the job's end, or until the caller should leave.
std::optional<Result<void>> wait_for(Job& job, const WorkLimits& limits) {
  const auto has_stopped = [&] { return limits.stop != nullptr && limits.stop->load() != 0; };
  std::unique_lock lock(job.mutex);
  while (!job.result && !has_stopped() && Clock::now() < limits.deadline) {
    if (limits.stop != nullptr) {
      job.changed.wait_until(lock, std::min(limits.deadline, Clock::now() + kStopPeriod));
    } else if (limits.deadline != Clock::time_point::max()) {
      job.changed.wait_until(lock, limits.deadline);
    } else {
      job.changed.wait(lock);
    }
  }
  if (!job.result) job.unwanted = true;
  return std::move(job.result);
}

}  // namespace

void abandon_work(Error why) { throw Abandoned{std::move(why)}; }
bool is_in_abandonable_work() { return attempts > 0; }
bool is_work_unwanted() { return own_job != nullptr && own_job->unwanted.load(); }

Result<void> attempt_work(const std::function<void()>& work) {
  struct Inside {
    Inside() { ++attempts; }
    ~Inside() { --attempts; }
  } const inside;
  try {
    work();
    return {};
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (Abandoned& abandoned) {
    return std::unexpected(std::move(abandoned.why));
  } catch (const std::bad_alloc&) {
    return fail(Code::out_of_memory, "out of memory");  // a text that needs no memory of its own
  } catch (const std::exception& e) {
    return fail(Code::internal, e.what());
  }
}

Result<void> run_abandonable(std::function<void()> work, const WorkLimits& limits) {
  const auto job = std::make_shared<Job>();
  job->work = std::move(work);
  auto for_thread = std::make_unique<std::shared_ptr<Job>>(job);
  threads().add(1);
  if (const int status = start_thread(for_thread.get()); status != 0) {
    threads().add(-1);
    return fail(Code::out_of_memory, fmt::format("no thread with a stack of {} MiB: {}",
                                                 kStack >> 20, std::strerror(status)));
  }
  for_thread.release();  // NOLINT(bugprone-unused-return-value): the thread has it
  if (auto result = wait_for(*job, limits)) return *std::move(result);
  return fail(Code::limit,
              Clock::now() < limits.deadline ? "it was stopped" : "it did not end by its deadline");
}

}  // namespace vyre
