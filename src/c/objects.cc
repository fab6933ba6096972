#include "vyre/c/objects_internal.h"

namespace vyre {
namespace {

template <class T>
HandleTable<T>& make_table(HandleKind kind) {
  return *new HandleTable<T>(static_cast<std::uint8_t>(kind));
}

}  // namespace

std::string_view to_string(HandleKind kind) {
  switch (kind) {
    case HandleKind::session: return "a session";
    case HandleKind::module: return "a module";
    case HandleKind::kernel: return "a kernel";
    case HandleKind::buffer: return "a buffer";
    case HandleKind::dispatch: return "a dispatch";
    case HandleKind::tuner: return "a tuner";
    case HandleKind::pipeline: return "a pipeline";
    case HandleKind::graph_program: return "a graph program";
    case HandleKind::graph: return "a graph";
    case HandleKind::graph_work: return "a prepared graph program";
  }
  return {};
}

template <>
HandleTable<SessionObject>& table() {
  static auto& objects = make_table<SessionObject>(HandleKind::session);
  return objects;
}
template <>
HandleTable<ModuleObject>& table() {
  static auto& objects = make_table<ModuleObject>(HandleKind::module);
  return objects;
}
template <>
HandleTable<KernelObject>& table() {
  static auto& objects = make_table<KernelObject>(HandleKind::kernel);
  return objects;
}
template <>
HandleTable<BufferObject>& table() {
  static auto& objects = make_table<BufferObject>(HandleKind::buffer);
  return objects;
}
template <>
HandleTable<DispatchObject>& table() {
  static auto& objects = make_table<DispatchObject>(HandleKind::dispatch);
  return objects;
}
template <>
HandleTable<TunerObject>& table() {
  static auto& objects = make_table<TunerObject>(HandleKind::tuner);
  return objects;
}

template <>
HandleTable<PipelineObject>& table() {
  static auto& objects = make_table<PipelineObject>(HandleKind::pipeline);
  return objects;
}

template <>
HandleTable<GraphProgramObject>& table() {
  static auto& objects = make_table<GraphProgramObject>(HandleKind::graph_program);
  return objects;
}

template <>
HandleTable<GraphObject>& table() {
  static auto& objects = make_table<GraphObject>(HandleKind::graph);
  return objects;
}

template <>
HandleTable<GraphWorkObject>& table() {
  static auto& objects = make_table<GraphWorkObject>(HandleKind::graph_work);
  return objects;
}

std::unexpected<Failure> invalid_handle(std::uint64_t id, HandleKind wanted) {
  const std::string_view expected = to_string(wanted);
  if (id == 0) {
    return failure(VYRE_INVALID_HANDLE, fmt::format("the handle of {} is 0", expected));
  }
  const auto kind = static_cast<HandleKind>(HandleTable<SessionObject>::kind_of(id));
  if (kind != wanted && !to_string(kind).empty()) {
    return failure(VYRE_INVALID_HANDLE, fmt::format("{:#x} is not a handle of {} but of {}", id,
                                                    expected, to_string(kind)));
  }
  return failure(
      VYRE_INVALID_HANDLE,
      fmt::format("{:#x} is no handle of {}: it was freed, or never given out", id, expected));
}

std::unexpected<Failure> null_pointer(std::string_view name) {
  return failure(VYRE_NULL_POINTER, fmt::format("{} is null", name));
}

std::unexpected<Failure> session_was_closed() {
  return failure(VYRE_INVALID_HANDLE, "the session was closed during the call");
}

std::unexpected<Failure> too_many_handles() {
  return failure(VYRE_LIMIT, "there are too many handles; free some");
}

void copy_text(std::string_view text, char* out, std::size_t capacity) {
  std::size_t length = std::min(text.size(), capacity - 1);
  const auto continues = [&](std::size_t i) {
    return (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
  };
  if (length < text.size()) {
    while (length > 0 && continues(length)) --length;
  }
  std::memcpy(out, text.data(), length);
  out[length] = '\0';
}

Outcome<> give_text(std::string_view text, char* out, std::uint64_t capacity,
                    std::uint64_t* length) {
  if (capacity != 0) {
    if (out == nullptr) return null_pointer("text");
    copy_text(text, out, capacity);
  }
  if (length != nullptr) *length = text.size();
  return {};
}

}  // namespace vyre
