// Threads of low priority that compile while the program runs. The first job starts them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "vyre/base/process/abandonable.h"
#include "vyre/base/process/fork_watch.h"

namespace vyre {

class Compilers {
 public:
  // `niceness` as the system counts it: 19 leaves a busy processor almost alone.
  Compilers(unsigned threads, int niceness) : most_(threads), niceness_(niceness) {}
  // Jobs that have begun are told by their limits to end; jobs that have not begun are dropped.
  ~Compilers();
  Compilers(const Compilers&) = delete;
  Compilers& operator=(const Compilers&) = delete;

  unsigned count() const { return most_; }
  void add(std::function<void()> job);
  // The limits for everything that a job compiles.
  WorkLimits limits() const { return {.stop = &ends_}; }
  // Whether a job runs at this moment.
  bool busy() const { return running_.load(std::memory_order_relaxed) != 0; }
  // Returns when no job is left. If no thread could be started, the calling thread does the jobs.
  void wait();

 private:
  void work();
  void start_thread();
  void run_next(std::unique_lock<ForkSafeMutex>& lock);
  void begin_again();  // in a child of fork(2), which does not get the jobs of its parent

  const unsigned most_;
  const int niceness_;
  std::atomic<unsigned> running_{0};
  ForkSafeMutex mutex_;
  std::condition_variable_any changed_;  // a job was added, or the threads shall end
  std::condition_variable_any waited_;   // no job is left
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;
  unsigned idle_ = 0;
  std::atomic<std::uint32_t> ends_{0};
  ForkWatch fork_watch_{{.in_child = [this] { begin_again(); }}};
};

}  // namespace vyre
