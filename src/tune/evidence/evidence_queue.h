// Events that wait to be written to an evidence file. Callers add them without waiting, and a
// thread writes them. The events of a failed write are kept and tried again.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/tune/evidence/evidence.h"

namespace vyre {

struct EvidenceBatch {
  TuningKey key{};
  std::vector<EvidenceEvent> events{};
  // The writer and the numbers of the lines. They are assigned before the first try, so that a line
  // that is in the file although its write failed counts once.
  std::string writer{};
  std::uint64_t first_line = 0;
  std::string line_name(std::size_t event) const;
};

class EvidenceQueue {
 public:
  // Writes a batch to the file; called by one thread at a time. Code::unavailable: another process
  // holds the file's lock for the moment. Where it throws, as for a lack of memory, it has failed.
  using Write = std::function<Result<void>(const EvidenceBatch&)>;
  explicit EvidenceQueue(Write write);
  EvidenceQueue(const EvidenceQueue&) = delete;
  EvidenceQueue& operator=(const EvidenceQueue&) = delete;
  // Waits for the write that is under way, however long that takes: see end().
  ~EvidenceQueue();

  // Returns at once, with the batch of these events; absent if there are already kMostEvents, in
  // which case the events are dropped and counted.
  std::optional<EvidenceBatch> add(TuningKey key, std::vector<EvidenceEvent> events);
  // The batches that are not in the file, or were not a moment ago.
  std::vector<EvidenceBatch> waiting() const;
  static constexpr std::size_t kMostEvents = std::size_t{1} << 17;

  struct Left {
    std::size_t events = 0;          // not in the file yet
    std::size_t dropped = 0;         // since the last report
    bool no_memory = false;          // some were dropped because there was no memory for them
    std::optional<Error> failure{};  // the first since everything was written
  };
  // Returns when everything that was added before is in the file, when a new try has failed for a
  // reason other than a lock, when there is no thread to write it, or when the time is over.
  Left flush(std::chrono::milliseconds wait);
  // Ends the tries, and returns whether the thread has ended within `wait`. It may still be inside
  // a write, for example to a disk that does not answer. Then neither the queue nor anything that
  // the write uses may be destroyed, until the thread returns by itself.
  bool end(std::chrono::milliseconds wait);
  // Events that could not be added, because there was no memory for them.
  void count_dropped(std::size_t events);

  // Around fork(2). The child's queue is empty, because the parent writes the events.
  void before_fork() { mutex_.lock(); }
  void after_fork_in_parent() { mutex_.unlock(); }
  void after_fork_in_child();

 private:
  void start();  // with the mutex held
  void work();
  // Writes the first batch on the queue's thread, releasing the lock meanwhile. Returns whether it
  // succeeded.
  bool try_front(std::unique_lock<std::mutex>& lock);

  const Write write_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;     // wakes the thread
  std::condition_variable changed_;  // tells flushing threads that a try has ended
  std::string writer_;
  std::uint64_t next_line_ = 0;
  std::deque<EvidenceBatch> batches_;
  std::size_t events_ = 0, dropped_ = 0;
  bool no_memory_ = false;
  std::uint64_t added_ = 0, written_ = 0;  // batches
  std::uint64_t tries_ = 0, tries_ended_ = 0;
  std::optional<Error> failure_;               // the first since everything was written
  bool failed_ = false, only_locked_ = false;  // of the last try
  bool hurry_ = false;                         // a thread waits
  bool ending_ = false;
  bool has_ended_ = false;  // the thread
  std::unique_ptr<std::thread> thread_;
};

// A name that no other writer has.
std::string new_writer();

}  // namespace vyre
