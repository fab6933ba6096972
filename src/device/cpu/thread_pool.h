// Threads that wait for work between launches. The thread that asks takes part.
#pragma once

#include <sched.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "vyre/base/fork_watch.h"

namespace vyre {

class ThreadPool {
 public:
  // So many threads in all, the asking one included. They start with the first work for them; where
  // the system gives fewer, those do it. To wake a thread that sleeps takes tens of microseconds:
  // after its work each looks for more for `watch` before it sleeps.
  explicit ThreadPool(unsigned threads, std::chrono::microseconds watch = {})
      : threads_(threads == 0 ? 1 : threads), watch_(watch) {}
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned threads() const { return threads_; }

  // task(i) for every i below count, each once, on any of the threads; returns when all are done.
  // Each thread begins with a share of its own, the same one every time, so that what a launch
  // leaves in its caches serves the next; who is done with that helps the others. From several
  // threads at once, one call gets the workers and the others run by themselves. A task does not
  // throw.
  template <class Task>
  void run(std::uint64_t count, const Task& task) {
    const auto call = [](const void* t, std::uint64_t i) { (*static_cast<const Task*>(t))(i); };
    run_job(count, call, &task);
  }

 private:
  using Call = void (*)(const void* task, std::uint64_t i);
  struct Job {
    Call call = nullptr;
    const void* task = nullptr;
  };
  struct alignas(64) Share {
    std::atomic<std::uint64_t> next{0};
    std::uint64_t end = 0;
  };

  void run_job(std::uint64_t count, Call call, const void* task);
  void start();
  void work(unsigned self);
  void wait_for_work(std::uint64_t seen);
  void keep_away();
  void wait_for_workers();
  void drain(const Job& job, unsigned self);
  void begin_again();  // in a child of fork(2), without its parent's workers and launches

  const unsigned threads_;
  const std::chrono::microseconds watch_;
  std::mutex asking_;  // held by the call that has the workers
  bool started_ = false;
  std::vector<std::thread> workers_;
  std::vector<Share> shares_;  // by thread; the asking one is the first

  // A worker counts itself as busy before it looks for the job, and the asking thread takes the job
  // away before it looks who is busy: one of the two sees the other. The same holds for who sleeps
  // and the generation, and for the asking thread's sleep and who is busy.
  alignas(64) std::atomic<std::uint64_t> generation_{0};  // of jobs; grows at the end too
  std::atomic<const Job*> job_{nullptr};
  std::atomic<unsigned> wanted_{0};  // threads that have a share of it; the others look on
  std::atomic<bool> ending_{false};
  std::atomic<int> processor_{-1};  // of the asking thread
  cpu_set_t allowed_{};             // processors, when the workers started
  alignas(64) std::atomic<unsigned> busy_{0};
  std::atomic<unsigned> sleeping_{0};
  std::atomic<bool> asker_sleeps_{false};
  std::mutex mutex_;  // of those who go to sleep, and who wake them
  std::condition_variable wake_, idle_;
  ForkWatch fork_watch_{{.in_child = [this] { begin_again(); }}};
};

}  // namespace vyre
