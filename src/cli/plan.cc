#include "vyre/cli/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "vyre/cli/devices.h"
#include "vyre/cli/launch_report.h"
#include "vyre/cli/stage_report.h"
#include "vyre/cli/values.h"

namespace vyre {

Limits default_limits() {
  return {.backend = "cuda",
          .max_threads_per_block = 1024,
          .max_block_dim = {1024, 1024, 64},
          .max_grid_dim = {2147483647, 65535, 65535}};
}

Result<Limits> parse_limits(std::string_view text) {
  Limits limits = default_limits();
  std::vector<std::string_view> seen;
  for (const std::string_view piece : split(text, ',')) {
    const std::size_t equals = piece.find('=');
    const std::string_view key = piece.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : piece.substr(equals + 1);
    if (value.empty()) {
      return fail(Code::invalid_input, fmt::format("{} is not of the form KEY=VALUE", quote(piece)),
                  "write e.g. threads=1024,block=1024x1024x64,grid=65535x65535x65535");
    }
    if (std::ranges::find(seen, key) != seen.end()) {
      return fail(Code::invalid_input, fmt::format("{} was given twice", key));
    }
    seen.push_back(key);
    if (key == "threads") {
      VYRE_TRY(const std::uint64_t threads, parse_whole(value, UINT32_MAX));
      if (threads == 0) return fail(Code::invalid_input, "threads is 0; the least is 1");
      limits.max_threads_per_block = static_cast<std::uint32_t>(threads);
    } else if (key == "block") {
      VYRE_TRY(limits.max_block_dim, parse_extent(value, "x"));
    } else if (key == "grid") {
      VYRE_TRY(limits.max_grid_dim, parse_extent(value, "x"));
    } else if (key == "name") {
      limits.backend = value;
    } else {
      return fail(Code::invalid_input, fmt::format("there is no limit {}", quote(key)),
                  "there are threads, block, grid and name");
    }
  }
  return limits;
}

CommandHelp declare(OptionSet& set, PlanOptions& options) {
  const auto extent = [](const std::string& text) { return parse_extent(text); };
  set.positional("FILE", "a WGSL file; - is the standard input", options.files, 0, 1);
  set.value("--size", "X[,Y[,Z]]", "how many invocations are to run", options.size, extent);
  set.value("--grid", "X[,Y[,Z]]", "fix the number of workgroups", options.grid, extent);
  set.value("--workgroup", "X[,Y[,Z]]", "fix the workgroup", options.workgroup, extent);
  set.value("--entry", "NAME", "the entry point, where there are several", options.entry);
  set.repeated("--set", "NAME=VALUE", "give an override a value, by its name or @id",
               options.settings, parse_settings);
  set.value("--limits", "KEY=VALUE,...",
            "what the device allows: threads=1024,block=1024x1024x64,\n"
            "grid=2147483647x65535x65535,name=cuda (these are the defaults)",
            options.limits, [](const std::string& text) { return parse_limits(text); });
  set.value("--device", "NAME", "plan for a device that is here, by its own limits",
            options.device);
  set.value("--mode", "MODE", "natural, on, off or frozen, instead of VYRE_AUTOTUNER", options.mode,
            [](const std::string& text) -> Result<TunerMode> {
              const auto mode = parse_mode(text);
              if (!mode) return std::unexpected(to_error(mode.error()));
              return *mode;
            });
  set.value("--stages", "FILE", "plan the fusion of the stages in a TOML file", options.stages);
  set.value("--budget", "BYTES", "with --stages: memory of one launch, like 64KiB", options.budget,
            [](const std::string& text) { return parse_bytes(text); });
  set.flag("--json", "print JSON", options.json);
  return {
      .usage =
          "vyre plan FILE --size X[,Y[,Z]] [options]\n"
          "       vyre plan --stages FILE --budget BYTES [--json]",
      .summary =
          "Shows the launch that would be made of a kernel, with the reason for each choice; or\n"
          "which neighbouring stages would become one launch.",
      .details =
          "A file of stages lists them in order:\n"
          "  budget = \"64KiB\"      # optional; --budget wins\n"
          "  [[stage]]\n"
          "  id = 1                # optional: its position, from 0\n"
          "  name = \"blur\"         # optional\n"
          "  layout = \"rgba8\"      # a number or a text: only equal layouts are fused\n"
          "  input = \"4KiB\"        # bytes, as a number or a text with a unit\n"
          "  output = 4096\n"
          "  scratch = 512         # optional: 0\n"
          "  host = true           # optional: the host looks at what comes before it\n"
          "\n"
          "examples:\n"
          "  vyre plan examples/saxpy.wgsl --size 1000000\n"
          "  vyre plan examples/saxpy.wgsl --size 1000000 --device cpu\n"
          "  vyre plan examples/matmul.wgsl --size 512,512 --limits threads=256\n"
          "  vyre plan --stages examples/stages.toml --budget 64KiB\n",
  };
}

Result<void> check(const PlanOptions& options) {
  const bool kernel_options = !options.device.empty() || options.size || options.grid ||
                              options.workgroup || options.limits || options.mode ||
                              !options.settings.empty() || !options.entry.empty();
  if (!options.stages.empty()) {
    if (!options.files.empty() || kernel_options) {
      return fail(Code::invalid_input, "--stages goes with --budget and --json alone");
    }
    return {};
  }
  if (options.budget) return fail(Code::invalid_input, "--budget goes with --stages");
  if (options.files.empty()) {
    return fail(Code::invalid_input, "FILE is missing", "give a WGSL file, or --stages FILE");
  }
  if (!options.size && !options.grid) {
    return fail(Code::invalid_input, "how many invocations are to run?",
                "give --size X[,Y[,Z]], or --grid for workgroups");
  }
  if (options.size && options.grid) {
    return fail(Code::invalid_input, "--size and --grid say the same in two ways",
                "give one of them");
  }
  if (!options.device.empty()) VYRE_CHECK(check_device_name(options.device, "and null"));
  if (options.limits && !options.device.empty()) {
    return fail(Code::invalid_input, "--device and --limits say the same in two ways",
                "give one of them");
  }
  if (options.size) {
    const Extent& size = *options.size;
    const std::uint64_t plane = std::uint64_t{size[0]} * size[1];
    if (plane > UINT32_MAX || plane * size[2] > UINT32_MAX) {
      return fail(Code::limit, fmt::format("--size: {} has more than {} invocations",
                                           format_extent(size), UINT32_MAX));
    }
  }
  return {};
}

Exit run_command(const PlanOptions& options, Streams& streams) {
  return options.stages.empty() ? plan_kernel(options, streams) : plan_stages(options, streams);
}

}  // namespace vyre
