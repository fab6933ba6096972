// Keeps things that running work may still use (memory, modules, staging) until the work has ended.
//
// Nothing waits here. A thing is retired with fences: one event in every stream that has work and
// may use the thing. A later sweep releases it when all these events have passed.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "vyre/base/process/abandonable.h"
#include "vyre/base/process/fork_watch.h"
#include "vyre/device/cuda/context_internal.h"
#include "vyre/device/cuda/launch_notes_internal.h"

namespace vyre {

enum class ReleaseWhen : std::uint8_t {
  passed,  // the work that was submitted before the fence has ended
  idle,    // and no other work runs for which the driver would wait
};

class Reclaim {
 public:
  Reclaim(CudaContext& context, EventPool& events) : context_(context), events_(events) {}

  // Registers a stream, with the context current. After it is removed, its work may still run, but
  // its handle is not used.
  void add_stream(CuStream stream, std::shared_ptr<LaunchNotes> notes);
  void drop_stream(CuStream stream, const std::shared_ptr<LaunchNotes>& notes);

  // May be called with any context. `release` runs with the context current or lost. Streams to
  // which nothing was submitted since allocation number `born` cannot use the thing, so a kernel
  // that never ends does not keep later allocations alive. Destructors call this function: if there
  // is no memory to note the thing, it is never released.
  template <class Release>
  void retire(ReleaseWhen when, std::uint64_t born, Release release) {
    (void)attempt_work([&] { add(when, born, std::move(release)); });
  }
  // With the context current. Releases what is no longer in use; does not wait.
  void sweep();
  bool anything_retired() const { return retired_.load(std::memory_order_relaxed); }
  // Sweeps until everything is released or the time is over. Returns whether everything is
  // released.
  bool drain(std::chrono::milliseconds most);
  // Whether no stream has work; false if that is unknown.
  bool idle();
  // Releases everything even if work still runs; for the end of the device.
  void release_all();

  std::vector<std::string> suspects() const;

 private:
  struct Live {
    CuStream stream = nullptr;
    std::shared_ptr<LaunchNotes> notes;
  };
  struct Ended {  // a removed stream whose work may still run
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

  void add(ReleaseWhen when, std::uint64_t born, std::function<void()> release);
  bool passed(const SharedEvent& event);
  bool idle_locked();
  bool busy(const Live& live);
  // False: a stream cannot be queried now, because it is being captured.
  bool seal();
  // The result of a failed call. The error is made later without the lock, because that collects
  // the suspects.
  CuResult note(CuResult result);

  CudaContext& context_;
  EventPool& events_;
  mutable ForkSafeMutex mutex_{HeldFor::work};
  std::vector<Live> live_;
  std::vector<Ended> ended_;
  std::vector<Thing> fresh_;
  std::vector<Thing> fenced_;
  std::vector<SharedFence> fences_;  // of the retired things
  std::vector<Thing> until_idle_;
  CuResult trouble_ = cu::kSuccess;
  std::atomic<bool> retired_{false};
};

}  // namespace vyre
