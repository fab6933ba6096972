#include "vyre/cli/devices.h"

#include <fmt/format.h>

#include <optional>

#include "vyre/cli/values.h"
#include "vyre/engine/devices.h"

namespace vyre {
namespace {

struct DeviceReport {
  std::string name;
  std::string missing;  // why it cannot be used; empty when it can
  Target target;
  Limits limits;
  Profile profile;
  std::optional<MemoryInfo> memory;
};

DeviceReport look_at(const DeviceStatus& status, const CpuOptions& cpu) {
  DeviceReport report;
  report.name = status.name;
  report.missing = status.missing;
  if (!report.missing.empty()) return report;
  const auto device = open_device(status.name, cpu);
  if (!device) {
    report.missing = describe(device.error());
    return report;
  }
  report.target = (*device)->target();
  report.limits = (*device)->limits();
  auto profile = (*device)->profile();
  if (!profile) {
    report.missing = describe(profile.error());
    return report;
  }
  report.profile = *std::move(profile);
  if (const auto memory = (*device)->memory_info()) report.memory = *memory;
  return report;
}

std::string cores_text(const Profile& p, TargetKind target) {
  if (target == TargetKind::host) {
    return fmt::format("{}, vectors of {} f32", counted(p.multiprocessors, "core"), p.warp_size);
  }
  return fmt::format("{}, {} threads each, {} in step",
                     counted(p.multiprocessors, "multiprocessor"),
                     with_commas(p.max_threads_per_multiprocessor), p.warp_size);
}

void print_device(Output& out, const DeviceReport& report) {
  if (!report.missing.empty()) {
    out.print("{}\n  missing    {}\n", bold(out, report.name), report.missing);
    return;
  }
  const auto line = [&](std::string_view what, std::string_view value) {
    if (!value.empty()) out.print("  {:<10} {}\n", what, value);
  };
  const Profile& p = report.profile;
  const bool host = report.target.kind == TargetKind::host;
  out.print("{}\n", bold(out, report.name));
  line("device", p.device_name);
  line("driver", p.driver);
  line("target", host ? "" : to_string(report.target));
  line("compute", cores_text(p, report.target.kind));
  if (!host) {
    line("registers", fmt::format("{} of 32 bits per multiprocessor",
                                  with_commas(p.registers_per_multiprocessor)));
    line("shared", fmt::format("{} per workgroup, {} per multiprocessor",
                               format_bytes(p.shared_bytes_per_block),
                               format_bytes(p.shared_bytes_per_multiprocessor)));
  }
  if (p.clock_khz != 0) line("clock", fmt::format("{:.2f} GHz", p.clock_khz / 1e6));
  if (p.last_level_cache_bytes != 0) {
    line("cache", fmt::format("{}, last level", format_bytes(p.last_level_cache_bytes)));
  }
  const std::uint64_t total = report.memory ? report.memory->total : p.memory_bytes;
  if (total != 0) {
    line("memory", report.memory ? fmt::format("{}, {} free", format_bytes(total),
                                               format_bytes(report.memory->free))
                                 : format_bytes(total));
  }
  if (p.memory_bytes_per_second != 0) {
    line("bandwidth", fmt::format("{}{}", format_rate(p.memory_bytes_per_second),
                                  host ? ", measured now: a copy, reading and writing" : ""));
  }
  line("workgroup",
       fmt::format("{} invocations, at most {}", with_commas(report.limits.max_threads_per_block),
                   format_extent(report.limits.max_block_dim)));
  line("", fmt::format("{} of workgroup memory, {} bindings",
                       format_bytes(report.limits.max_workgroup_bytes),
                       with_commas(report.limits.max_bindings)));
  line("grid", format_extent(report.limits.max_grid_dim));
  line("binding", fmt::format("at multiples of {} bytes", report.limits.binding_alignment));
}

Json device_json(const DeviceReport& report) {
  Json json;
  json["name"] = report.name;
  json["available"] = report.missing.empty();
  json["missing"] = report.missing.empty() ? Json() : Json(report.missing);
  if (!report.missing.empty()) return json;
  json["target"] = to_string(report.target.kind);
  json["processor"] = report.target.processor.empty() ? Json() : Json(report.target.processor);
  json["limits"] = to_json(report.limits);
  json["profile"] = to_json(report.profile);
  json["memory_free_bytes"] = report.memory ? Json(report.memory->free) : Json();
  return json;
}

}  // namespace

Result<void> check_device_name(std::string_view name, std::string_view others) {
  for (const std::string_view known : {"auto", "cpu", "cuda", "null"}) {
    if (name == known) return {};
  }
  constexpr std::string_view kNumbered = "cuda:";
  if (name.starts_with(kNumbered) && parse_whole(name.substr(kNumbered.size()), UINT32_MAX)) {
    return {};
  }
  return fail(Code::invalid_input, fmt::format("--device: there is no {}", quote(name)),
              fmt::format("there are auto, cpu, cuda, cuda:N{}{}",
                          others.starts_with("and") ? " " : ", ", others));
}

std::string summary(const Profile& profile, TargetKind target) {
  std::string text = fmt::format("{}: {}", profile.device_name, cores_text(profile, target));
  if (profile.last_level_cache_bytes != 0) {
    text += fmt::format(", {} of cache", format_bytes(profile.last_level_cache_bytes));
  }
  if (profile.memory_bytes_per_second != 0) {
    text += fmt::format(", {}", format_rate(profile.memory_bytes_per_second));
  }
  return text;
}

Json to_json(const Limits& limits) {
  return {{"name", limits.backend},
          {"threads", limits.max_threads_per_block},
          {"block", to_json(limits.max_block_dim)},
          {"grid", to_json(limits.max_grid_dim)},
          {"binding_alignment", limits.binding_alignment},
          {"workgroup_bytes", limits.max_workgroup_bytes},
          {"bindings", limits.max_bindings}};
}

Json to_json(const Profile& p) {
  const auto known = [](std::uint64_t value) { return value == 0 ? Json() : Json(value); };
  return {{"device", p.device_name},
          {"driver", p.driver},
          {"multiprocessors", known(p.multiprocessors)},
          {"threads_per_multiprocessor", known(p.max_threads_per_multiprocessor)},
          {"blocks_per_multiprocessor", known(p.max_blocks_per_multiprocessor)},
          {"registers_per_multiprocessor", known(p.registers_per_multiprocessor)},
          {"lanes", known(p.warp_size)},
          {"shared_bytes_per_multiprocessor", known(p.shared_bytes_per_multiprocessor)},
          {"shared_bytes_per_block", known(p.shared_bytes_per_block)},
          {"memory_bytes", known(p.memory_bytes)},
          {"memory_bytes_per_second", known(p.memory_bytes_per_second)},
          {"last_level_cache_bytes", known(p.last_level_cache_bytes)},
          {"clock_khz", known(p.clock_khz)}};
}

CommandHelp declare(OptionSet& set, DevicesOptions& options) {
  set.flag("--json", "print JSON", options.json);
  return {
      .usage = "vyre devices [--json]",
      .summary =
          "Lists the devices that kernels can run on, the fastest first, with their limits and\n"
          "properties, and why a device is missing. Measures the CPU's memory bandwidth, which\n"
          "takes a moment.",
      .details =
          "Use these names with --device. There are also `interp`, the reference interpreter,\n"
          "`null`, which runs nothing, and `auto`, the first available device of the list.\n",
  };
}

Exit run_command(const DevicesOptions& options, Streams& streams) {
  const auto cpu = cpu_options_from_environment();
  if (!cpu) return report(streams, cpu.error());
  Json json;
  json["devices"] = Json::array();
  bool first = true;
  for (const DeviceStatus& status : list_devices()) {
    const DeviceReport report = look_at(status, *cpu);
    if (options.json) {
      json["devices"].push_back(device_json(report));
      continue;
    }
    if (!first) streams.out.write("\n");
    first = false;
    print_device(streams.out, report);
  }
  if (options.json) write_json(streams.out, json);
  return Exit::done;
}

}  // namespace vyre
