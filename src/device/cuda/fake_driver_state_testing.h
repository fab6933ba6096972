// The inside of the fake driver: what its functions share.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "vyre/base/process/static_thread_local.h"
#include "vyre/device/cuda/fake_driver_testing.h"

struct CUctx_st {
  int sticky = 0;
  bool destroyed = false;
};
struct CUmod_st {
  std::string text;
};
struct CUfunc_st {
  std::string name;
  int max_dynamic = 0;
};
struct CUevent_st {
  std::uint64_t recorded = 0;
  std::uint64_t passed = 0;
  bool done() const { return passed == recorded; }
  std::chrono::steady_clock::time_point when{};
};
struct CUstream_st {
  std::deque<std::function<bool()>> work;  // false: not yet
  bool destroyed = false;
};
struct CUgraphNode_st {
  std::vector<CUgraphNode_st*> after;
  bool is_kernel = false;
  std::function<vyre::CuResult(CUstream_st*)> run;
};
struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
};
struct CUgraphExec_st {
  struct Node {
    CUgraphNode_st* of;  // only compared
    CUgraphNode_st node;
  };
  std::vector<Node> nodes;
};
struct CUlinkState_st {
  std::string text;
  char* error_log = nullptr;
};

namespace vyre {

struct FakeDriver::State {
  std::recursive_mutex mutex;
  std::map<std::string, unsigned> calls;
  std::vector<std::string> log;
  std::map<std::string, std::deque<CuResult>> failures;
  std::vector<std::unique_ptr<CUctx_st>> contexts;
  std::vector<std::unique_ptr<CUmod_st>> modules;
  std::vector<std::unique_ptr<CUfunc_st>> functions;
  std::vector<std::unique_ptr<CUevent_st>> events;
  std::vector<std::unique_ptr<CUstream_st>> streams;
  std::map<CuAddress, std::uint64_t> allocations;
  std::set<void*> pinned;
  std::uint64_t allocated = 0;
  bool held = false;
  unsigned live_modules = 0;
  std::vector<std::unique_ptr<CUlinkState_st>> links;
  std::vector<std::unique_ptr<CUgraph_st>> graphs;
  std::vector<std::unique_ptr<CUgraphExec_st>> graph_execs;
  std::vector<FakeLaunch> launches;
};

namespace fake {

inline FakeDriver* active = nullptr;
inline FakeDriver::State* state = nullptr;
// Plain data of the static block: a driver of a process that has no memory left can still be
// called.
struct Contexts {
  static constexpr std::size_t kMost = 64;
  CuContext items[kMost];
  std::size_t count;
};
VYRE_STATIC_THREAD_LOCAL inline CuContext current = nullptr;
// The thread's stack of contexts, without its top.
VYRE_STATIC_THREAD_LOCAL inline Contexts below{};
inline CUstream_st default_stream;

inline void run_all(bool forced = false) {
  if (state->held && !forced) return;
  for (bool moved = true; moved;) {
    moved = false;
    const auto run = [&](CUstream_st& s) {
      while (!s.work.empty() && s.work.front()()) {
        s.work.pop_front();
        moved = true;
      }
    };
    for (auto& s : state->streams) run(*s);
    run(default_stream);
  }
}

inline CUstream_st& stream_of(CuStream stream) {
  return stream == nullptr ? default_stream : *stream;
}

inline CuResult enqueue(CuStream stream, std::function<bool()> work) {
  stream_of(stream).work.push_back(std::move(work));
  run_all();
  return current->sticky;
}

inline CuResult enqueue_always(CuStream stream, std::function<void()> work) {
  return enqueue(stream, [work = std::move(work)] {
    work();
    return true;
  });
}

enum class Needs { nothing, context };

// Counts, fails when asked to, and refuses what a real driver refuses.
template <class Body>
CuResult call(const char* name, Needs needs, const Body& body) try {
  const std::scoped_lock lock(state->mutex);
  ++state->calls[name];
  state->log.emplace_back(name);
  if (auto& planned = state->failures[name]; !planned.empty()) {
    const CuResult result = planned.front();
    planned.pop_front();
    if (loses_context(result) && current != nullptr) current->sticky = result;
    return result;
  }
  if (needs == Needs::context) {
    if (current == nullptr) return cu::kInvalidContext;
    if (current->destroyed) return cu::kContextIsDestroyed;
    if (current->sticky != 0) return current->sticky;
  }
  return body();
} catch (const std::bad_alloc&) {
  return cu::kOutOfMemory;
}

inline void* pointer(CuAddress address) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

inline CuResult allocate(CuAddress* address, std::size_t bytes) {
  if (state->allocated + bytes > active->memory_bytes) return cu::kOutOfMemory;
  // Far above what tests touch is only counted.
  const std::size_t real = std::min<std::size_t>(bytes, std::size_t{64} << 20);
  void* memory = std::aligned_alloc(512, (real + 511) / 512 * 512);
  if (memory == nullptr) return cu::kOutOfMemory;
  std::memset(memory, 0xCD, real);
  *address = reinterpret_cast<std::uintptr_t>(memory);
  state->allocations[*address] = bytes;
  state->allocated += bytes;
  return cu::kSuccess;
}

inline CuResult release(CuAddress address) {
  const auto it = state->allocations.find(address);
  if (it == state->allocations.end()) return cu::kInvalidValue;
  state->allocated -= it->second;
  state->allocations.erase(it);
  std::free(pointer(address));
  return cu::kSuccess;
}

void fill_copies(CudaDriver& table);
void fill_code(CudaDriver& table);
void fill_streams(CudaDriver& table);
void fill_graphs(CudaDriver& table);

}  // namespace fake
}  // namespace vyre
