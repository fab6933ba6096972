#include "vyre/cli/entry_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "vyre/cli/plan.h"
#include "vyre/cli/table.h"
#include "vyre/cli/values.h"
#include "vyre/data/npy/packed_elements.h"
#include "vyre/ir/print.h"
#include "vyre/ir/print_expr.h"
#include "vyre/ir/slots.h"
#include "vyre/plan/bindings/kernel_bindings.h"
#include "vyre/plan/variants/declared_variant.h"
#include "vyre/plan/variants/tunable_parts.h"
#include "vyre/plan/variants/variant_legality.h"

namespace vyre {
namespace {

// Whether the size of a type depends on an override without a value.
bool waits_for_override(const TypeTable& types, TypeId type) {
  if (const auto* array = types.get_if<ArrayType>(type)) {
    return array->count_expr != kNoExpr || waits_for_override(types, array->element);
  }
  if (const auto* structure = types.get_if<StructType>(type)) {
    return std::ranges::any_of(structure->members, [&](const Member& member) {
      return waits_for_override(types, member.type);
    });
  }
  return false;
}

std::vector<BufferReport> buffers_of(const Program& program) {
  std::vector<BufferReport> out;
  for (const GlobalId id : slots_of(program)) {
    const Global& global = program[id];
    const BufferLayout layout = buffer_layout(program.types, global.type);
    BufferReport buffer;
    buffer.slot = static_cast<std::uint32_t>(out.size());
    buffer.group = global.group;
    buffer.binding = global.binding;
    buffer.name = global.name;
    buffer.role = to_string(role_of(global.memory, global.access, true));
    buffer.type = program.types.spell(global.type);
    buffer.runtime_sized = program.types.contains_runtime_array(global.type);
    buffer.header_bytes = layout.header_bytes;
    buffer.stride = layout.stride;
    if (!buffer.runtime_sized && !waits_for_override(program.types, global.type)) {
      buffer.bytes = program.types.layout(global.type).size;
    }
    out.push_back(std::move(buffer));
  }
  return out;
}

std::vector<OverrideReport> overrides_of(const Program& program,
                                         const std::vector<Setting>& settings) {
  std::vector<OverrideReport> out;
  const PrintNames names(program);
  const ExprPrinter printer(program, names);
  for (const Override& each : program.overrides) {
    OverrideReport report{each.name, program.types.spell(each.type), each.id, "", {}};
    if (each.initial != kNoExpr) report.default_value = printer.expr(each.initial);
    for (const Setting& setting : settings) {
      if (setting.name == each.name || (each.id && setting.name == fmt::format("{}", *each.id))) {
        report.set = setting.value;
      }
    }
    out.push_back(std::move(report));
  }
  return out;
}

void report_tuning(const Kernel& kernel, const Device* device, EntryReport& entry) {
  for (const TargetKind kind : {TargetKind::host, TargetKind::nvptx}) {
    if (device != nullptr && device->target().kind != kind) continue;
    entry.tunable_parts.emplace_back(
        kind == TargetKind::host ? "cpu" : "gpu",
        tunable_parts(kernel, kind, device == nullptr ? default_limits() : device->limits()));
  }
  const std::string_view fixed = why_shape_is_fixed(kernel);
  if (!fixed.empty()) entry.workgroup_reason = fmt::format("it {}", fixed);
}

// "may be tuned: gang, groups per task on a CPU; the workgroup as declared: it reads ..."
std::string tuning_text(const EntryReport& entry) {
  std::string parts;
  for (const auto& [device, names] : entry.tunable_parts) {
    if (names.empty()) continue;
    parts += fmt::format("{}{} on a {}", parts.empty() ? "" : "; ", fmt::join(names, ", "),
                         device == "cpu" ? "CPU" : "GPU");
  }
  if (parts.empty()) {
    return entry.workgroup_reason.empty() ? "as declared"
                                          : "as declared: " + entry.workgroup_reason;
  }
  std::string out = "may be tuned: " + parts;
  if (!entry.workgroup_reason.empty()) {
    out += "; the workgroup as declared: " + entry.workgroup_reason;
  }
  return out;
}

std::string size_text(const BufferReport& buffer) {
  if (buffer.bytes) return with_commas(*buffer.bytes);
  if (!buffer.runtime_sized) return "unknown";
  return buffer.header_bytes == 0
             ? fmt::format("{} per element", buffer.stride)
             : fmt::format("{} + {} per element", buffer.header_bytes, buffer.stride);
}

std::string workgroup_text(const EntryReport& entry) {
  std::string out;
  for (const auto& axis : entry.workgroup) {
    if (!out.empty()) out += "x";
    out += axis ? fmt::format("{}", *axis) : "?";
  }
  return out;
}

std::string counts_text(const Stats& stats) {
  return fmt::format("{}, {}, {}, {}, {}", counted(stats.loads, "load"),
                     counted(stats.stores, "store"), counted(stats.atomics, "atomic"),
                     counted(stats.barriers, "barrier"), counted(stats.loops, "loop"));
}

}  // namespace

std::vector<std::string> ids_used(const Stats& stats) {
  std::vector<std::string> out;
  if (stats.uses_global_id) out.emplace_back("global invocation");
  if (stats.uses_local_id) out.emplace_back("local invocation");
  if (stats.uses_subgroup_id || stats.subgroup_operations != 0) out.emplace_back("subgroup");
  if (stats.uses_workgroup_id) out.emplace_back("workgroup");
  if (stats.uses_workgroup_count) out.emplace_back("workgroup count");
  return out;
}

Result<EntryReport> report_entry(const Program& program, const std::vector<Setting>& settings,
                                 bool with_ir, const Device* device) {
  EntryReport entry;
  entry.name = program.name;
  entry.overrides = overrides_of(program, settings);
  entry.unset = unset_overrides(program, settings);
  VYRE_CHECK(check_settings_once(program, settings));
  if (entry.unset.empty()) {
    VYRE_TRY(const Kernel kernel, make_kernel(program, settings_for(program, settings)));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      entry.workgroup[axis] = kernel.program->workgroup[axis];
    }
    entry.buffers = buffers_of(*kernel.program);
    entry.stats = kernel.stats;
    entry.workgroup_bytes = kernel.stats.workgroup_bytes;
    entry.fingerprint = to_hex(kernel.fingerprint);
    report_tuning(kernel, device, entry);
    if (device != nullptr) {
      const TargetKind kind = device->target().kind;
      const std::string why = why_not(kernel, plain_variant(kernel, kind), kind, device->limits());
      if (!why.empty()) {
        return fail(Code::limit, fmt::format("cannot run on {}: {}", device->name(), why));
      }
    }
    if (with_ir) entry.ir = print(*kernel.program);
    return entry;
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (program.workgroup_exprs[axis] == kNoExpr) entry.workgroup[axis] = program.workgroup[axis];
  }
  entry.buffers = buffers_of(program);
  entry.stats = stats(program);
  const bool sized = std::ranges::none_of(program.globals, [&](const Global& global) {
    return global.memory == MemoryKind::workgroup && waits_for_override(program.types, global.type);
  });
  if (sized) entry.workgroup_bytes = entry.stats.workgroup_bytes;
  entry.workgroup_reason = fmt::format("unknown until {} {} set", join_words(entry.unset),
                                       entry.unset.size() == 1 ? "is" : "are");
  if (with_ir) entry.ir = print(program);
  return entry;
}

void print_entry(Output& out, const EntryReport& entry) {
  const std::string unknown = fmt::format(
      "unknown until {} {} set (--set {}=VALUE)", join_words(entry.unset),
      entry.unset.size() == 1 ? "is" : "are", entry.unset.empty() ? "" : entry.unset.front());
  const auto line = [&](std::string_view what, std::string_view value) {
    out.print("  {:<17} {}\n", what, value);
  };
  out.print("{}\n", bold(out, entry.name));
  const std::string workgroup = workgroup_text(entry);
  line("workgroup", workgroup.find('?') == std::string::npos
                        ? workgroup
                        : fmt::format("{}  ({})", workgroup, unknown));
  const auto ids = ids_used(entry.stats);
  line("ids used", ids.empty() ? "none" : join_words(ids));
  line("counts", counts_text(entry.stats));
  line("workgroup memory", entry.workgroup_bytes ? format_bytes(*entry.workgroup_bytes) : unknown);
  line("fingerprint", entry.fingerprint.empty() ? unknown : entry.fingerprint);
  line("launch", entry.unset.empty() ? tuning_text(entry) : unknown);
  if (!entry.buffers.empty()) {
    out.write("  buffers\n");
    Table table({"slot", "group", "binding", "name", "role", "type", "bytes"}, {0, 1, 2});
    for (const BufferReport& buffer : entry.buffers) {
      table.add({fmt::format("{}", buffer.slot), fmt::format("{}", buffer.group),
                 fmt::format("{}", buffer.binding), buffer.name, buffer.role, buffer.type,
                 size_text(buffer)});
    }
    table.print(out, "    ");
  }
  if (!entry.overrides.empty()) {
    out.write("  overrides\n");
    Table table({"name", "id", "type", "default", "set"});
    for (const OverrideReport& each : entry.overrides) {
      table.add({each.name, each.id ? fmt::format("{}", *each.id) : "-", each.type,
                 each.default_value.empty() ? "none" : each.default_value,
                 each.set ? fmt::format("{}", *each.set) : "-"});
    }
    table.print(out, "    ");
  }
}

Json to_json(const EntryReport& entry, bool with_ir) {
  Json json;
  json["name"] = entry.name;
  for (const auto& axis : entry.workgroup) {
    json["workgroup"].push_back(axis ? Json(*axis) : Json(nullptr));
  }
  json["unset_overrides"] = entry.unset;
  json["ids_used"] = ids_used(entry.stats);
  json["counts"] = {{"nodes", entry.stats.nodes},       {"loads", entry.stats.loads},
                    {"stores", entry.stats.stores},     {"atomics", entry.stats.atomics},
                    {"barriers", entry.stats.barriers}, {"calls", entry.stats.calls},
                    {"loops", entry.stats.loops}};
  json["workgroup_bytes"] = entry.workgroup_bytes ? Json(*entry.workgroup_bytes) : Json(nullptr);
  json["pointwise"] = entry.stats.pointwise;
  json["fingerprint"] = entry.fingerprint.empty() ? Json(nullptr) : Json(entry.fingerprint);
  const auto has_parts = [](const auto& device) { return !device.second.empty(); };
  json["tunable"] = entry.unset.empty() ? Json(std::ranges::any_of(entry.tunable_parts, has_parts))
                                        : Json(nullptr);
  json["tunable_parts"] = Json::object();
  for (const auto& [device, names] : entry.tunable_parts) json["tunable_parts"][device] = names;
  json["tuning_reason"] = entry.unset.empty() ? tuning_text(entry) : entry.workgroup_reason;
  json["buffers"] = Json::array();
  for (const BufferReport& buffer : entry.buffers) {
    Json each;
    each["slot"] = buffer.slot;
    each["group"] = buffer.group;
    each["binding"] = buffer.binding;
    each["name"] = buffer.name;
    each["role"] = buffer.role;
    each["type"] = buffer.type;
    each["runtime_sized"] = buffer.runtime_sized;
    each["bytes"] = buffer.bytes ? Json(*buffer.bytes) : Json(nullptr);
    if (buffer.runtime_sized) {
      each["header_bytes"] = buffer.header_bytes;
      each["element_bytes"] = buffer.stride;
    }
    json["buffers"].push_back(std::move(each));
  }
  json["overrides"] = Json::array();
  for (const OverrideReport& each : entry.overrides) {
    json["overrides"].push_back(
        {{"name", each.name},
         {"id", each.id ? Json(*each.id) : Json(nullptr)},
         {"type", each.type},
         {"default", each.default_value.empty() ? Json(nullptr) : Json(each.default_value)},
         {"set", each.set ? Json(*each.set) : Json(nullptr)}});
  }
  if (with_ir) json["ir"] = entry.ir;
  return json;
}

}  // namespace vyre
