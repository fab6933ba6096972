// What the handles of the C ABI stand for.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "vyre/base/memory/handle_table.h"
#include "vyre/base/process/fork_watch.h"
#include "vyre/c/failure_internal.h"
#include "vyre/engine/pipeline/prepared_pipeline.h"
#include "vyre/engine/session.h"
#include "vyre/frontier/frontier.h"
#include "vyre/tune/foreign/kernel_tuner.h"
#include "vyre/wgsl/module.h"

namespace vyre {

// A session with the handles of all that came from it, so that closing it can free them.
struct SharedSession {
  explicit SharedSession(Session its_session) : session(std::move(its_session)) {}

  Session session;
  RunLimits compiling;  // of calls that make something ready and take no deadline
  ForkSafeMutex mutex;
  bool closed = false;
  std::unordered_set<std::uint64_t> members;
};

struct SessionObject {
  std::shared_ptr<SharedSession> session;
};
struct ModuleObject {
  std::shared_ptr<SharedSession> session;
  Module module;
  std::string warnings;
};
struct KernelObject {
  std::shared_ptr<SharedSession> session;
  Kernel kernel;
};
struct BufferObject {
  std::shared_ptr<SharedSession> session;
  Buffer buffer;
};
struct DispatchObject {
  std::shared_ptr<SharedSession> session;
  Dispatch dispatch;
};
// A pipeline that is being written, or is prepared. It is locked while a call uses it.
struct PipelineState {
  ForkSafeMutex mutex{HeldFor::work};
  Pipeline pipeline;
  PipelineOptions options;
  std::optional<PreparedPipeline> prepared;
  // The warnings about each WGSL file; shared, because the prepared pipeline reads files again.
  std::shared_ptr<std::map<std::string, std::string>> warnings =
      std::make_shared<std::map<std::string, std::string>>();
};
struct PipelineObject {
  std::shared_ptr<SharedSession> session;
  std::unique_ptr<PipelineState> state;
};
struct GraphProgramObject {
  std::shared_ptr<SharedSession> session;
  FrontierProgram program;
};
struct GraphObject {
  std::shared_ptr<SharedSession> session;
  Graph graph;
};
// A graph program that is prepared for a graph, with the records of its last run.
struct GraphWorkState {
  explicit GraphWorkState(PreparedFrontier made) : prepared(std::move(made)) {}

  ForkSafeMutex mutex{HeldFor::work};
  PreparedFrontier prepared;
  std::vector<RoundRecord> rounds;
};
struct GraphWorkObject {
  std::shared_ptr<SharedSession> session;
  std::unique_ptr<GraphWorkState> state;
};
struct TunerObject {
  KernelTuner tuner;  // of no session
};

enum class HandleKind : std::uint8_t {
  session = 1,
  module,
  kernel,
  buffer,
  dispatch,
  tuner,
  pipeline,
  graph_program,
  graph,
  graph_work
};

// "a kernel"; empty for a number that is no kind.
std::string_view to_string(HandleKind kind);

// One table a kind. They are never destroyed: a thread may still call while the process ends.
template <class T>
HandleTable<T>& table();
template <>
HandleTable<SessionObject>& table();
template <>
HandleTable<ModuleObject>& table();
template <>
HandleTable<KernelObject>& table();
template <>
HandleTable<BufferObject>& table();
template <>
HandleTable<DispatchObject>& table();
template <>
HandleTable<TunerObject>& table();
template <>
HandleTable<PipelineObject>& table();
template <>
HandleTable<GraphProgramObject>& table();
template <>
HandleTable<GraphObject>& table();
template <>
HandleTable<GraphWorkObject>& table();

template <class T>
using Pin = typename HandleTable<T>::Pin;

std::unexpected<Failure> invalid_handle(std::uint64_t id, HandleKind wanted);
std::unexpected<Failure> null_pointer(std::string_view name);

template <class T>
Outcome<Pin<T>> find(std::uint64_t id) {
  auto& objects = table<T>();
  auto pin = objects.pin(id);
  if (!pin) [[unlikely]] {
    return invalid_handle(id, static_cast<HandleKind>(objects.kind()));
  }
  return pin;
}

std::unexpected<Failure> session_was_closed();
std::unexpected<Failure> too_many_handles();

// A handle for an object of its session. The session may have been closed meanwhile.
template <class T>
Outcome<std::uint64_t> publish(T object) {
  const std::shared_ptr<SharedSession> session = object.session;
  const std::uint64_t id = table<T>().insert(std::make_unique<T>(std::move(object)));
  if (id == 0) return too_many_handles();
  try {
    const std::scoped_lock lock(session->mutex);
    if (!session->closed) {
      session->members.insert(id);
      return id;
    }
  } catch (...) {
    table<T>().close(id);
    throw;
  }
  table<T>().close(id);
  return session_was_closed();
}

// Frees an object of a session. Null is fine.
template <class T>
Outcome<> release(std::uint64_t id) {
  if (id == 0) return {};
  VYRE_TRY(const Pin<T> pin, find<T>(id));
  if (!table<T>().close(id)) {
    return invalid_handle(id, static_cast<HandleKind>(table<T>().kind()));
  }
  const std::scoped_lock lock(pin->session->mutex);
  pin->session->members.erase(id);
  return {};
}

// The caller's struct, which says its own size.
template <class S>
Outcome<> check_struct(const S* given, std::string_view name) {
  if (given == nullptr) return null_pointer(name);
  if (given->struct_size == sizeof(S)) return {};
  return failure(VYRE_WRONG_SIZE, fmt::format("{}.struct_size is {}; this library knows {}", name,
                                              given->struct_size, sizeof(S)));
}

// Cut off where it does not fit, at the start of a character; ends with a null.
void copy_text(std::string_view text, char* out, std::size_t capacity);

// Text to a caller who said how much fits.
Outcome<> give_text(std::string_view text, char* out, std::uint64_t capacity,
                    std::uint64_t* length);

}  // namespace vyre
