// Threads that wait for work between launches. The calling thread takes part in the work.
#pragma once

#include <sched.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

#include "vyre/base/process/fork_watch.h"

namespace vyre {

class ThreadPool {
 public:
  // `threads` includes the calling thread. The workers start with the first work for them. If the
  // system gives fewer threads, these do the work, and the pool asks for the missing ones again
  // from time to time. Waking a thread takes tens of microseconds, so each worker waits for more
  // work for `watch` before it sleeps.
  explicit ThreadPool(unsigned threads, std::chrono::microseconds watch = {})
      : threads_(threads == 0 ? 1 : threads), watch_(watch) {}
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned threads() const { return threads_; }

  // Calls task(i), or task(i, thread) with the number of the thread that runs it, once for every i
  // below count, on any of the threads, and returns when all calls have ended. The calling thread
  // has the number 0. Each thread begins with the same share every time, so that its caches still
  // hold the data of the previous launch, and then helps the others. If several threads call at
  // once, one call gets the workers and the others run on their own thread. A task must not throw.
  template <class Task>
  void run(std::uint64_t count, const Task& task) {
    run_job(count, call_of<Task>(), &task);
  }

  enum class AtOnce : std::uint8_t { ran, few_threads, stopped };
  // The same with a thread for each call, so that the calls may wait for each other. If the pool
  // does not get that many threads, or `stop` is raised while the workers work for another caller,
  // nothing is called.
  template <class Task>
  AtOnce run_at_once(std::uint64_t count, const std::atomic<std::uint32_t>& stop,
                     const Task& task) {
    return run_job_at_once(count, call_of<Task>(), &task, stop);
  }

 private:
  using Call = void (*)(const void* task, std::uint64_t i, unsigned thread);
  template <class Task>
  static Call call_of() {
    return [](const void* t, std::uint64_t i, unsigned thread) {
      if constexpr (std::is_invocable_v<const Task&, std::uint64_t, unsigned>) {
        (*static_cast<const Task*>(t))(i, thread);
      } else {
        (*static_cast<const Task*>(t))(i);
      }
    };
  }
  struct Job {
    Call call = nullptr;
    const void* task = nullptr;
  };
  struct alignas(64) Share {
    std::atomic<std::uint64_t> next{0};
    std::uint64_t end = 0;
  };

  void run_job(std::uint64_t count, Call call, const void* task);
  AtOnce run_job_at_once(std::uint64_t count, Call call, const void* task,
                         const std::atomic<std::uint32_t>& stop);
  void share_out(std::uint64_t count, const Job& job);  // by the thread that holds `asking_`
  // Starts the workers that are missing. Returns whether there is a share for each thread.
  bool start();
  void work(unsigned self);
  void wait_for_work(std::uint64_t seen);
  void keep_away();
  void wait_for_workers();
  void drain(const Job& job, unsigned self);
  void begin_again();  // in a child of fork(2), without its parent's workers and launches

  const unsigned threads_;
  const std::chrono::microseconds watch_;
  std::mutex asking_;              // held by the call that the workers work for
  std::uint32_t until_start_ = 0;  // jobs until missing workers are asked for
  std::vector<std::thread> workers_;
  std::vector<Share> shares_;  // by thread; the calling thread is the first

  // A worker counts itself as busy before it reads the job, and the calling thread removes the job
  // before it reads the number of busy workers, so that one of the two sees the other. The same
  // order holds for the sleepers and the generation, and for the calling thread's sleep and the
  // busy workers.
  alignas(64) std::atomic<std::uint64_t> generation_{0};  // grows when a job begins and ends
  std::atomic<const Job*> job_{nullptr};
  std::atomic<unsigned> wanted_{0};  // threads that have a share of the job
  std::atomic<bool> ending_{false};
  std::atomic<int> processor_{-1};  // of the calling thread
  cpu_set_t allowed_{};             // the processors allowed when the workers started
  alignas(64) std::atomic<unsigned> busy_{0};
  std::atomic<unsigned> sleeping_{0};
  std::atomic<bool> asker_sleeps_{false};
  std::mutex mutex_;  // guards going to sleep and waking
  std::condition_variable wake_, idle_;
  ForkWatch fork_watch_{{.in_child = [this] { begin_again(); }}};
};

}  // namespace vyre
