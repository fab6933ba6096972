#include "vyre/c/objects_internal.h"
#include "vyre/c/stack_internal.h"
#include "vyre/ir/buffer_layout.h"
#include "vyre/ir/slots.h"

namespace vyre {
namespace {

constexpr std::uint64_t kMaxOverrides = 65536;

Outcome<> load_module(vyre_session id, const char* text, std::uint64_t length,
                      const char* file_name, ParseOptions options, vyre_module* out) {
  VYRE_TRY(const auto session, find<SessionObject>(id));
  if (out == nullptr) return null_pointer("module");
  if (text == nullptr && length != 0) return null_pointer("text");
  if (length == VYRE_TO_THE_END) length = std::strlen(text);
  if (length > Source::kMaxBytes) {
    return failure(VYRE_LIMIT, fmt::format("the text has {} bytes; the most is {}", length,
                                           std::uint64_t{Source::kMaxBytes}));
  }
  ParsedModule parsed = parse_wgsl(length == 0 ? std::string() : std::string(text, length),
                                   file_name == nullptr ? "" : file_name, options);
  if (!parsed.module) return failure(VYRE_INVALID_INPUT, parsed.message());
  VYRE_TRY(*out,
           publish(ModuleObject{session->session, *std::move(parsed.module), parsed.message()}));
  return {};
}

Outcome<> entry_name(vyre_module id, std::uint32_t index, char* text, std::uint64_t capacity,
                     std::uint64_t* length) {
  VYRE_TRY(const auto pin, find<ModuleObject>(id));
  const auto& programs = pin->module.programs;
  if (index >= programs.size()) {
    return failure(VYRE_INVALID_INPUT,
                   fmt::format("there is no entry point {}: there are {}", index, programs.size()));
  }
  return give_text(programs[index].name, text, capacity, length);
}

std::string names_of(const Module& module) {
  std::string out;
  for (const Program& p : module.programs)
    out += fmt::format("{}'{}'", out.empty() ? "" : ", ", p.name);
  return out;
}

Outcome<const Program*> program_of(const Module& module, const char* entry) {
  if (entry != nullptr && !module.why_not_run(entry).empty()) {
    return failure(VYRE_INVALID_INPUT, std::string(module.why_not_run(entry)));
  }
  if (module.programs.empty()) {
    return failure(VYRE_INVALID_INPUT, module.not_run.empty()
                                           ? "the module has no compute entry point"
                                           : "the module has no entry point that vyre runs: " +
                                                 module.not_run.front().why);
  }
  if (entry == nullptr) {
    if (module.programs.size() == 1) return &module.programs.front();
    return failure(
        VYRE_INVALID_INPUT,
        fmt::format("the module has several entry points: name one of {}", names_of(module)));
  }
  if (const Program* found = module.find(entry)) return found;
  return failure(VYRE_INVALID_INPUT, fmt::format("there is no entry point '{}', but there is {}",
                                                 entry, names_of(module)));
}

// As in WebGPU: a constant of the module that the entry point does not use may have a value too.
bool is_for_another_entry(const Module& module, const Program& program, std::string_view name) {
  const auto called = [&](const auto& o) { return ModuleOverride{o.name, o.id}.is_called(name); };
  return std::ranges::none_of(program.overrides, called) &&
         std::ranges::any_of(module.overrides, called);
}

Outcome<> create_kernel(vyre_module id, const char* entry, const vyre_override* overrides,
                        std::uint64_t count, vyre_kernel* out) {
  VYRE_TRY(const auto pin, find<ModuleObject>(id));
  if (out == nullptr) return null_pointer("kernel");
  if (overrides == nullptr && count != 0) return null_pointer("overrides");
  if (count > kMaxOverrides) {
    return failure(VYRE_LIMIT, fmt::format("{} overrides; the most is {}", count, kMaxOverrides));
  }
  VYRE_TRY(const Program* program, program_of(pin->module, entry));
  std::vector<OverrideValue> values;
  for (std::uint64_t i = 0; i < count; ++i) {
    const vyre_override& o = overrides[i];
    if (o.reserved != 0) {
      return failure(VYRE_INVALID_INPUT, fmt::format("overrides[{}].reserved is not 0", i));
    }
    std::string name = o.name != nullptr ? std::string(o.name) : std::to_string(o.id);
    if (is_for_another_entry(pin->module, *program, name)) continue;
    values.push_back({std::move(name), o.value});
  }
  VYRE_TRY(Kernel kernel, make_kernel(*program, values));
  VYRE_TRY(*out, publish(KernelObject{pin->session, std::move(kernel)}));
  return {};
}

// Storage and uniform variables, by group and binding.
std::vector<const Global*> buffers_of(const Program& program) {
  std::vector<const Global*> out;
  for (const GlobalId id : slots_of(program)) out.push_back(&program[id]);
  return out;
}

vyre_access access_of(const Global& g) {
  if (g.memory == MemoryKind::uniform) return VYRE_UNIFORM;
  return g.access == Access::read ? VYRE_READ : VYRE_READ_WRITE;
}

Outcome<> kernel_binding(vyre_kernel id, std::uint32_t index, vyre_binding_info* out) {
  VYRE_TRY(const auto pin, find<KernelObject>(id));
  VYRE_CHECK(check_struct(out, "info"));
  const Program& program = *pin->kernel.program;
  const std::vector<const Global*> buffers = buffers_of(program);
  if (index >= buffers.size()) {
    return failure(VYRE_INVALID_INPUT,
                   fmt::format("there is no binding {}: there are {}", index, buffers.size()));
  }
  const Global& g = *buffers[index];
  vyre_binding_info filled{};
  filled.struct_size = sizeof filled;
  filled.group = g.group;
  filled.binding = g.binding;
  filled.access = access_of(g);
  filled.least_bytes = buffer_layout(program.types, g.type).least_bytes();
  filled.name_length = g.name.size();
  copy_text(g.name, filled.name, sizeof filled.name);
  *out = filled;
  return {};
}

}  // namespace
}  // namespace vyre

using namespace vyre;

vyre_code vyre_module_load(vyre_session session, const char* text, uint64_t length,
                           const char* file_name, vyre_module* module) {
  return guarded([&] {
    return with_enough_stack(
        [&] { return load_module(session, text, length, file_name, {}, module); });
  });
}

vyre_code vyre_module_load_lenient(vyre_session session, const char* text, uint64_t length,
                                   const char* file_name, vyre_module* module) {
  return guarded([&] {
    return with_enough_stack(
        [&] { return load_module(session, text, length, file_name, {.lenient = true}, module); });
  });
}

vyre_code vyre_module_free(vyre_module module) {
  return guarded([&] { return release<ModuleObject>(module); });
}

vyre_code vyre_module_warnings(vyre_module module, char* text, uint64_t capacity,
                               uint64_t* length) {
  return guarded([&]() -> Outcome<> {
    VYRE_TRY(const auto pin, find<ModuleObject>(module));
    return give_text(pin->warnings, text, capacity, length);
  });
}

vyre_code vyre_module_entry_count(vyre_module module, uint32_t* count) {
  return guarded([&]() -> Outcome<> {
    VYRE_TRY(const auto pin, find<ModuleObject>(module));
    if (count == nullptr) return null_pointer("count");
    *count = static_cast<uint32_t>(pin->module.programs.size());
    return {};
  });
}

vyre_code vyre_module_entry_name(vyre_module module, uint32_t index, char* text, uint64_t capacity,
                                 uint64_t* length) {
  return guarded([&] { return entry_name(module, index, text, capacity, length); });
}

vyre_code vyre_kernel_create(vyre_module module, const char* entry, const vyre_override* overrides,
                             uint64_t override_count, vyre_kernel* kernel) {
  return guarded([&] {
    return with_enough_stack(
        [&] { return create_kernel(module, entry, overrides, override_count, kernel); });
  });
}

vyre_code vyre_kernel_free(vyre_kernel kernel) {
  return guarded([&] { return release<KernelObject>(kernel); });
}

vyre_code vyre_kernel_workgroup_size(vyre_kernel kernel, uint32_t size[3]) {
  return guarded([&]() -> Outcome<> {
    VYRE_TRY(const auto pin, find<KernelObject>(kernel));
    if (size == nullptr) return null_pointer("size");
    std::ranges::copy(pin->kernel.program->workgroup, size);
    return {};
  });
}

vyre_code vyre_kernel_binding_count(vyre_kernel kernel, uint32_t* count) {
  return guarded([&]() -> Outcome<> {
    VYRE_TRY(const auto pin, find<KernelObject>(kernel));
    if (count == nullptr) return null_pointer("count");
    *count = static_cast<uint32_t>(buffers_of(*pin->kernel.program).size());
    return {};
  });
}

vyre_code vyre_kernel_binding(vyre_kernel kernel, uint32_t index, vyre_binding_info* info) {
  return guarded([&] { return kernel_binding(kernel, index, info); });
}
