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

// What is not 0, as one line.
template <class... Rest>
std::string facts(std::uint64_t value, std::string_view unit, Rest... rest) {
  std::string out;
  if (value != 0) out = fmt::format("{} {}", with_commas(value), unit);
  if constexpr (sizeof...(rest) > 0) {
    const std::string more = facts(rest...);
    if (!out.empty() && !more.empty()) out += ", ";
    out += more;
  }
  return out;
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
  if (host) {
    line("cores", fmt::format("{}, vectors of {} f32", p.multiprocessors, p.warp_size));
  } else {
    line("cores", facts(p.multiprocessors, "multiprocessors", p.max_threads_per_multiprocessor,
                        "threads and", p.registers_per_multiprocessor, "registers each",
                        p.warp_size, "lanes in step"));
    line("shared",
         fmt::format("{} a workgroup, {} a multiprocessor", format_bytes(p.shared_bytes_per_block),
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

Json to_json(const Limits& limits) {
  return {{"name", limits.backend},
          {"threads", limits.max_threads_per_block},
          {"block", to_json(limits.max_block_dim)},
          {"grid", to_json(limits.max_grid_dim)},
          {"binding_alignment", limits.binding_alignment}};
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
          "Lists the devices that kernels can run on, the fastest first, with what they allow and\n"
          "what is known of them; and why a device is missing. Measures the CPU's memory "
          "bandwidth,\n"
          "which takes a moment.",
      .details =
          "These names go with --device. Beside them there are `interp`, the reference "
          "interpreter,\n"
          "`null`, which runs nothing, and `auto`, the first device of the list that is there.\n",
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
