#include <cstddef>

#include "vyre/base/files/paths.h"
#include "vyre/c/arguments_internal.h"
#include "vyre/c/objects_internal.h"
#include "vyre/engine/devices.h"

namespace vyre {

namespace {

constexpr std::uint32_t kMaxThreads = 1024;

Outcome<std::filesystem::path> cache_folder_of(const char* given) {
  if (given == nullptr) return cache_folder();
  const std::filesystem::path folder = given;
  if (folder.is_absolute()) return folder;
  return failure(VYRE_INVALID_INPUT,
                 fmt::format("options.cache_folder is \"{}\"; it must be an absolute path, because "
                             "the code in it is run",
                             given));
}

// The caller's options, of this version or as they were before some of their members were added.
Outcome<vyre_session_options> known_options(const vyre_session_options& given) {
  constexpr std::uint32_t before_tuning = offsetof(vyre_session_options, tuning);
  constexpr std::uint32_t before_gain = offsetof(vyre_session_options, least_gain);
  constexpr std::uint32_t before_compile = offsetof(vyre_session_options, compile_ns);
  vyre_session_options out{};
  if (given.struct_size != before_tuning && given.struct_size != before_gain &&
      given.struct_size != before_compile) {
    VYRE_CHECK(check_struct(&given, "options"));
  }
  std::memcpy(&out, &given, given.struct_size);
  if (out.threads > kMaxThreads) {
    return failure(VYRE_INVALID_INPUT,
                   fmt::format("options.threads is {}; the most is {}", out.threads, kMaxThreads));
  }
  if (out.reserved != 0 || out.reserved_too != 0) {
    return failure(VYRE_INVALID_INPUT, "options.reserved is not 0");
  }
  if (!(out.least_gain >= 0 && out.least_gain < 1)) {
    return failure(
        VYRE_INVALID_INPUT,
        fmt::format("options.least_gain is {}; it must be at least 0 and below 1", out.least_gain));
  }
  return out;
}

}  // namespace

Outcome<SessionOptions> options_of(const vyre_session_options* asked) {
  if (asked == nullptr) {
    VYRE_TRY(SessionOptions options, SessionOptions::from_environment());
    return options;
  }
  VYRE_TRY(const vyre_session_options given, known_options(*asked));
  SessionOptions options;
  if (given.threads != 0) {
    options.cpu.threads = given.threads;
  } else {
    VYRE_TRY(options.cpu, cpu_options_from_environment());
  }
  options.tuning = TuningOptions::from_environment();
  options.tuning->evidence.reset();
  VYRE_TRY(const auto mode, mode_of(given.tuning, "options.tuning"));
  if (mode) options.tuning->mode = *mode;
  if (given.least_gain > 0) options.tuning->least_gain = given.least_gain;
  if (given.no_cache == 0) {
    VYRE_TRY(const std::filesystem::path folder, cache_folder_of(given.cache_folder));
    options.code_folder = folder / "code";
    options.tuning->evidence = folder / "tuner" / "evidence.jsonl";
  }
  if (given.evidence_file != nullptr) {
    options.tuning->evidence = given.evidence_file;
    if (!options.tuning->evidence->is_absolute()) {
      return failure(VYRE_INVALID_INPUT,
                     fmt::format("options.evidence_file is \"{}\"; it must be an absolute path",
                                 given.evidence_file));
    }
  }
  return options;
}

Outcome<std::uint64_t> publish_session(Session session, const vyre_session_options* given) {
  auto shared = std::make_shared<SharedSession>(std::move(session));
  if (given != nullptr && given->struct_size > offsetof(vyre_session_options, compile_ns)) {
    shared->compiling = limits_of(given->compile_ns);
  }
  const std::uint64_t id = table<SessionObject>().insert(
      std::make_unique<SessionObject>(SessionObject{std::move(shared)}));
  if (id == 0) return too_many_handles();
  return id;
}

namespace {

Outcome<> open_session(const char* device, const vyre_session_options* given, vyre_session* out) {
  if (device == nullptr) return null_pointer("device");
  if (out == nullptr) return null_pointer("session");
  VYRE_TRY(SessionOptions options, options_of(given));
  VYRE_TRY(Session session, Session::open(device, std::move(options)));
  VYRE_TRY(*out, publish_session(std::move(session), given));
  return {};
}

void close_member(std::uint64_t id) {
  switch (static_cast<HandleKind>(HandleTable<SessionObject>::kind_of(id))) {
    case HandleKind::session:
    case HandleKind::tuner: break;  // never members
    case HandleKind::module: table<ModuleObject>().close(id); break;
    case HandleKind::kernel: table<KernelObject>().close(id); break;
    case HandleKind::buffer: table<BufferObject>().close(id); break;
    case HandleKind::dispatch: table<DispatchObject>().close(id); break;
    case HandleKind::pipeline: table<PipelineObject>().close(id); break;
    case HandleKind::graph_program: table<GraphProgramObject>().close(id); break;
    case HandleKind::graph: table<GraphObject>().close(id); break;
    case HandleKind::graph_work: table<GraphWorkObject>().close(id); break;
  }
}

Outcome<> close_session(vyre_session id) {
  if (id == 0) return {};
  VYRE_TRY(const auto pin, find<SessionObject>(id));
  if (!table<SessionObject>().close(id)) return invalid_handle(id, HandleKind::session);
  SharedSession& shared = *pin->session;
  std::unordered_set<std::uint64_t> members;
  {
    const std::scoped_lock lock(shared.mutex);
    shared.closed = true;
    members.swap(shared.members);
  }
  // What was submitted fails without a word: who wants to know waits before closing.
  [[maybe_unused]] const auto ended = shared.session.wait();
  for (const std::uint64_t member : members) close_member(member);
  VYRE_CHECK(shared.session.save());
  return {};
}

Outcome<> session_limits(vyre_session id, vyre_limits* out) {
  VYRE_TRY(const auto pin, find<SessionObject>(id));
  VYRE_CHECK(check_struct(out, "limits"));
  const Device& device = pin->session->session.device();
  const Limits& limits = device.limits();
  vyre_limits filled{};
  filled.struct_size = sizeof filled;
  filled.max_workgroup_invocations = limits.max_threads_per_block;
  std::ranges::copy(limits.max_block_dim, filled.max_workgroup_size);
  std::ranges::copy(limits.max_grid_dim, filled.max_workgroups);
  filled.binding_alignment = limits.binding_alignment;
  copy_text(device.name(), filled.device, sizeof filled.device);
  *out = filled;
  return {};
}

Outcome<> device_get(std::uint32_t index, vyre_device_info* out) {
  VYRE_CHECK(check_struct(out, "info"));
  const std::vector<DeviceStatus> devices = list_devices();
  if (index >= devices.size()) {
    return failure(VYRE_INVALID_INPUT,
                   fmt::format("there is no device {}: there are {}", index, devices.size()));
  }
  vyre_device_info filled{};
  filled.struct_size = sizeof filled;
  filled.available = devices[index].missing.empty() ? 1 : 0;
  copy_text(devices[index].name, filled.name, sizeof filled.name);
  copy_text(devices[index].missing, filled.missing, sizeof filled.missing);
  *out = filled;
  return {};
}

}  // namespace
}  // namespace vyre

using namespace vyre;

vyre_code vyre_device_count(uint32_t* count) {
  return guarded([&]() -> Outcome<> {
    if (count == nullptr) return null_pointer("count");
    *count = static_cast<uint32_t>(list_devices().size());
    return {};
  });
}

vyre_code vyre_device_get(uint32_t index, vyre_device_info* info) {
  return guarded([&] { return device_get(index, info); });
}

vyre_code vyre_session_open(const char* device, const vyre_session_options* options,
                            vyre_session* session) {
  return guarded([&] { return open_session(device, options, session); });
}

vyre_code vyre_session_close(vyre_session session) {
  return guarded([&] { return close_session(session); });
}

vyre_code vyre_session_limits(vyre_session session, vyre_limits* limits) {
  return guarded([&] { return session_limits(session, limits); });
}

vyre_code vyre_session_wait(vyre_session session) {
  return guarded([&]() -> Outcome<> {
    VYRE_TRY(const auto pin, find<SessionObject>(session));
    VYRE_CHECK(pin->session->session.wait());
    return {};
  });
}
