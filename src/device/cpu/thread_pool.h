// Threads that wait for work between launches. The thread that asks takes part.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace vyre {

class ThreadPool {
 public:
  // So many threads in all, the asking one included. They start with the first work for them; where
  // the system gives fewer, those do it.
  explicit ThreadPool(unsigned threads) : threads_(threads == 0 ? 1 : threads) {}
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned threads() const { return threads_; }

  // task(i) for every i below count, each once, on any of the threads; returns when all are done.
  // From several threads at once, one call gets the workers and the others run by themselves.
  // A task does not throw.
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
    std::uint64_t count = 0;
    std::atomic<std::uint64_t> next{0};
  };

  void run_job(std::uint64_t count, Call call, const void* task);
  void start();
  void work();
  static void drain(Job& job);

  const unsigned threads_;
  std::mutex asking_;  // held by the call that has the workers
  bool started_ = false;
  std::vector<std::thread> workers_;

  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  Job* job_ = nullptr;
  std::uint64_t generation_ = 0;
  unsigned busy_ = 0;
  bool ending_ = false;
};

}  // namespace vyre
