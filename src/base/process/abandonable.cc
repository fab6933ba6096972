#include "vyre/base/process/abandonable.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <list>
#include <mutex>
#include <new>

#include "vyre/base/process/fork_watch.h"
#include "vyre/base/process/static_thread_local.h"

namespace vyre {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kStack = std::size_t{16} << 20;
constexpr std::size_t kDiskStack = std::size_t{2} << 20;
constexpr std::chrono::milliseconds kForkPatience{2'000};
constexpr std::chrono::milliseconds kStopPeriod{5};  // how often a waiting caller looks at `stop`

struct Abandoned {
  Error why;
};

struct Job {
  std::function<void()> work;
  WorkKind kind = WorkKind::computes;
  pthread_t thread{};
  std::atomic<bool> unwanted = false;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Result<void>> result;  // once the work has ended
  double spent_ns = 0;                 // processor time, likewise
};

VYRE_STATIC_THREAD_LOCAL int attempts = 0;  // the calls of attempt_work that this thread is in
VYRE_STATIC_THREAD_LOCAL Job* own_job = nullptr;   // the job that this thread was made for
VYRE_STATIC_THREAD_LOCAL double others_spent = 0;  // nanoseconds that threads worked for this one

double thread_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) * 1e9 + double(now.tv_nsec);
}

// A child of fork(2) has no other thread, and a lock that one of them held inside the code
// generator would stay locked there. So whoever forks waits until every job has ended or has come
// to a place where it asks whether it is wanted, and the jobs wait there for the fork. Where that
// takes too long, the child refuses such work: it would wait for ever.
class JobsAroundFork {
 public:
  JobsAroundFork() {
    // After the calls of the first ForkWatch, so that nobody holds a lock that a job needs to come
    // to such a place.
    {
      const ForkWatch first({});
    }
    ::pthread_atfork([] { all().before(); }, [] { all().in_parent(); }, [] { all().in_child(); });
  }
  static JobsAroundFork& all() {
    static auto& jobs = *new JobsAroundFork;
    return jobs;
  }

  void begin() {
    const std::scoped_lock lock(mutex_);
    ++running_;
  }
  void end() {
    const std::scoped_lock lock(mutex_);
    --running_;
    changed_.notify_all();
  }
  void wait_for_fork() {
    if (forking_.load(std::memory_order_relaxed) == 0) return;
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return forking_.load() == 0; });
    --waiting_;
  }
  bool is_lost() const { return lost_.load(std::memory_order_relaxed); }

 private:
  void before() {
    std::unique_lock lock(mutex_);
    ++forking_;
    at_rest_ = changed_.wait_for(lock, kForkPatience, [&] { return waiting_ == running_; });
  }
  void in_parent() {
    const std::scoped_lock lock(mutex_);
    --forking_;
    changed_.notify_all();
  }
  void in_child() {
    make_anew(mutex_);
    make_anew(changed_);
    forking_ = 0;
    running_ = waiting_ = 0;
    if (!at_rest_) lost_ = true;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<int> forking_ = 0;  // threads that fork
  int running_ = 0, waiting_ = 0;
  bool at_rest_ = true;
  std::atomic<bool> lost_ = false;
};

using Jobs = std::list<std::shared_ptr<Job>>;

// Jobs whose callers have left. Their threads use objects that are destroyed when the process exits
// and code that dlclose unmaps, so both wait for them.
class LeftJobs {
 public:
  // Takes one over. Allocates nothing.
  void add(Jobs& job) {
    const std::scoped_lock lock(mutex_);
    jobs_.splice(jobs_.end(), job);
  }
  void join_those_that_ended() {
    const std::scoped_lock lock(mutex_);
    std::erase_if(jobs_,
                  [](const auto& job) { return pthread_tryjoin_np(job->thread, nullptr) == 0; });
  }
  bool is_empty() {
    join_those_that_ended();
    const std::scoped_lock lock(mutex_);
    return jobs_.empty();
  }
  void join_all() {
    Jobs all;
    {
      const std::scoped_lock lock(mutex_);
      all.swap(jobs_);
    }
    for (const auto& job : all) pthread_join(job->thread, nullptr);
  }

 private:
  std::mutex mutex_;
  Jobs jobs_;
  ForkGuard<std::mutex> guard_{mutex_};
  ForkWatch watch_{{.in_child = [this] {
    if (jobs_.empty()) return;
    abandon(jobs_);  // their threads are not there
    jobs_.clear();
  }}};
};

LeftJobs& left_jobs() {
  static LeftJobs& all = *new LeftJobs;  // never destroyed: it is used while the process exits
  return all;
}

void leave(Jobs& job) {
  if (job.front()->kind == WorkKind::waits_for_disk) {
    keep_library_loaded();
    pthread_detach(job.front()->thread);
    return;
  }
  left_jobs().add(job);
  // Once more for each job: what was constructed since the last time, and may be in use by this
  // one, is destroyed before earlier handlers run.
  (void)std::atexit([] { left_jobs().join_all(); });
}

void* run_job(void* argument) {
  const std::unique_ptr<std::shared_ptr<Job>> given(static_cast<std::shared_ptr<Job>*>(argument));
  Job& job = **given;
  own_job = &job;
  const bool computes = job.kind == WorkKind::computes;
  if (computes) JobsAroundFork::all().wait_for_fork();
  auto result = attempt_work(job.work);
  job.work = nullptr;
  if (computes) JobsAroundFork::all().end();
  const std::scoped_lock lock(job.mutex);
  job.result = std::move(result);
  job.spent_ns = thread_ns();
  job.changed.notify_all();
  return nullptr;
}

// Without memory for the text of the exception, memory is what ran out.
std::unexpected<Error> internal_error(const std::exception& e) {
  try {
    return fail(Code::internal, e.what());
  } catch (const std::bad_alloc&) {
    return fail(Code::out_of_memory, "out of memory");
  }
}

int start_thread(pthread_t& thread, std::shared_ptr<Job>* job) {
  pthread_attr_t attributes;
  if (const int status = pthread_attr_init(&attributes); status != 0) return status;
  pthread_attr_setstacksize(&attributes, (*job)->kind == WorkKind::computes ? kStack : kDiskStack);
  const int status = pthread_create(&thread, &attributes, run_job, job);
  pthread_attr_destroy(&attributes);
  return status;
}

// Waits for the job's end, or until the caller should leave. Whether it has ended.
bool wait_for(Job& job, const WorkLimits& limits) {
  std::unique_lock lock(job.mutex);
  while (!job.result && !limits.over()) {
    if (limits.stop != nullptr) {
      job.changed.wait_until(lock, std::min(limits.deadline, Clock::now() + kStopPeriod));
    } else if (limits.deadline != Clock::time_point::max()) {
      job.changed.wait_until(lock, limits.deadline);
    } else {
      job.changed.wait(lock);
    }
  }
  if (!job.result) job.unwanted = true;
  return job.result.has_value();
}

// While one exists the thread is not cancelled: standard condition variables do not permit it.
class Uncancelled {
 public:
  Uncancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~Uncancelled() { pthread_setcancelstate(before_, nullptr); }
  Uncancelled(const Uncancelled&) = delete;
  Uncancelled& operator=(const Uncancelled&) = delete;

 private:
  int before_ = 0;
};

}  // namespace

void abandon_work(Error why) { throw Abandoned{std::move(why)}; }
void throw_out_of_memory() { throw std::bad_alloc(); }
bool is_in_abandonable_work() { return attempts > 0; }
bool is_work_unwanted() {
  if (own_job == nullptr) return false;
  if (own_job->kind == WorkKind::computes) JobsAroundFork::all().wait_for_fork();
  return own_job->unwanted.load();
}
bool is_work_left() { return !left_jobs().is_empty(); }
double work_ns() { return thread_ns() + others_spent; }

Result<void> attempt_detail::attempt(void (*run)(const void* work), const void* work) {
  struct Inside {
    Inside() { ++attempts; }
    ~Inside() { --attempts; }
  } const inside;
  try {
    run(work);
    return {};
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (Abandoned& abandoned) {
    return std::unexpected(std::move(abandoned.why));
  } catch (const std::bad_alloc&) {
    return fail(Code::out_of_memory, "out of memory");  // a text that needs no memory of its own
  } catch (const std::exception& e) {
    return internal_error(e);
  }
}

Error over_error(const WorkLimits& limits, std::string_view what) {
  return {
      Code::device,
      fmt::format("{} {}", what, limits.stopped() ? "was stopped" : "was not done by its deadline"),
      {}};
}

void keep_library_loaded() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&keep_library_loaded), &info) == 0) return;
  static_cast<void>(dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE));
}

Result<void> run_abandonable(std::string_view what, std::function<void()> work,
                             const WorkLimits& limits, WorkKind kind) {
  const Uncancelled uncancelled;
  const bool computes = kind == WorkKind::computes;
  if (computes && JobsAroundFork::all().is_lost()) {
    return fail(Code::unavailable,
                fmt::format("{} is not possible in a process that was forked while another thread "
                            "was doing the like",
                            what),
                "fork while nothing is compiled, or start a program with exec");
  }
  left_jobs().join_those_that_ended();
  const auto job = std::make_shared<Job>();
  Jobs to_leave{job};
  job->work = std::move(work);
  job->kind = kind;
  auto for_thread = std::make_unique<std::shared_ptr<Job>>(job);
  if (computes) JobsAroundFork::all().begin();
  if (const int status = start_thread(job->thread, for_thread.get()); status != 0) {
    if (!computes) return attempt_work(job->work);
    JobsAroundFork::all().end();
    return fail(Code::out_of_memory, fmt::format("{} needs a thread with a stack of {} MiB: {}",
                                                 what, kStack >> 20, std::strerror(status)));
  }
  for_thread.release();  // NOLINT(bugprone-unused-return-value): the thread has it
  if (!wait_for(*job, limits)) {
    leave(to_leave);
    return std::unexpected(over_error(limits, what));
  }
  pthread_join(job->thread, nullptr);
  others_spent += job->spent_ns;
  return *std::move(job->result);
}

}  // namespace vyre
