// Things that running work may still use (memory, modules, staging), kept until it has ended.
//
// Nothing waits here: a thing is retired behind fences, an event in every stream that had work at
// that moment and may know the thing, and released by a later sweep that finds them all passed.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "vyre/base/fork_watch.h"
#include "vyre/device/cuda/context_internal.h"
#include "vyre/device/cuda/launch_notes_internal.h"

namespace vyre {

enum class ReleaseWhen : std::uint8_t {
  passed,  // the work of that moment has ended
  idle,    // and nothing else runs either: the driver would wait for it
};

class Reclaim {
 public:
  Reclaim(CudaContext& context, EventPool& events) : context_(context), events_(events) {}

  // Streams that work runs in. With the context current; when a stream goes, its work may still
  // run, and the handle is not used any more.
  void add_stream(CuStream stream, std::shared_ptr<LaunchNotes> notes);
  void drop_stream(CuStream stream, const std::shared_ptr<LaunchNotes>& notes);

  // Any thread, any context. `release` runs with the context current, or lost.
  // Streams in which nothing was submitted since allocation number `born` do not know the thing: a
  // kernel that stays does not keep what came after it.
  void retire(ReleaseWhen when, std::uint64_t born, std::function<void()> release);
  // With the context current. Releases what can be; waits for nothing.
  void sweep();
  bool anything_retired() const { return retired_.load(std::memory_order_relaxed); }
  // Sweeps until everything is released or the time is over: whether it is.
  bool drain(std::chrono::milliseconds most);
  // Whether no stream has work. False also where it cannot be told.
  bool idle();
  // Releases all, whatever runs: at the end.
  void release_all();

  std::vector<std::string> suspects() const;

 private:
  struct Live {
    CuStream stream = nullptr;
    std::shared_ptr<LaunchNotes> notes;
  };
  struct Ended {  // a stream that is gone, with work that may still run
    SharedEvent last;
    std::shared_ptr<LaunchNotes> notes;
  };
  struct Fence {
    SharedEvent event;
    bool passed = false;
    std::uint64_t newest_allocation = 0;
  };
  using SharedFence = std::shared_ptr<Fence>;
  struct Thing {
    ReleaseWhen when = ReleaseWhen::passed;
    std::uint64_t born = 0;
    std::function<void()> release;
    std::vector<SharedFence> behind{};
  };

  bool passed(const SharedEvent& event);
  bool idle_locked();
  bool busy(const Live& live);
  // False: a stream cannot be asked now (it is being captured).
  bool seal();
  // Under the lock no error is made, because that asks for suspects: it is kept for later.
  CuResult note(CuResult result);

  CudaContext& context_;
  EventPool& events_;
  mutable ForkSafeMutex mutex_;
  std::vector<Live> live_;
  std::vector<Ended> ended_;
  std::vector<Thing> fresh_;
  std::vector<Thing> fenced_;
  std::vector<SharedFence> fences_;  // of those
  std::vector<Thing> until_idle_;
  CuResult trouble_ = cu::kSuccess;
  std::atomic<bool> retired_{false};
};

}  // namespace vyre
