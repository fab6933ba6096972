#include "vyre/cli/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "vyre/cli/devices.h"
#include "vyre/cli/launch_report.h"
#include "vyre/cli/pipeline/pipeline_command.h"
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
      if (threads == 0) return fail(Code::invalid_input, "threads must be at least 1");
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
  set.positional("FILE", "a WGSL file, or a pipeline (.toml); - is WGSL on the standard input",
                 options.run.files, 0, 1);
  declare_run_options(set, options.run);
  set.value("--limits", "KEY=VALUE,...",
            "plan for a device of which only the limits are known:\n"
            "threads=1024,block=1024x1024x64,\n"
            "grid=2147483647x65535x65535,name=cuda (these are the defaults)",
            options.limits, [](const std::string& text) { return parse_limits(text); });
  set.value("--stages", "FILE", "plan the fusion of the stages in a TOML file", options.stages);
  set.value("--budget", "BYTES", "with --stages: the memory of one launch, such as 64KiB",
            options.budget, [](const std::string& text) { return parse_bytes(text); });
  return {
      .usage =
          "vyre plan FILE [options of vyre run] [--limits ...]\n"
          "       vyre plan --stages FILE --budget BYTES [--json]",
      .summary =
          "Shows what `vyre run` with the same options launches first, and where each choice "
          "comes\n"
          "from. Inputs may be left out; they then have one element per invocation. With\n"
          "--stages, shows which neighbouring stages would become one launch.",
      .details =
          "A file of stages lists them in order:\n"
          "  budget = \"64KiB\"      # optional; --budget wins\n"
          "  [[stage]]\n"
          "  id = 1                # optional: by default the position, from 0\n"
          "  name = \"blur\"         # optional\n"
          "  layout = \"rgba8\"      # a number or a text: only equal layouts are fused\n"
          "  input = \"4KiB\"        # bytes, as a number or a text with a unit\n"
          "  output = 4096\n"
          "  scratch = 512         # optional: 0 by default\n"
          "  host = true           # optional: the host reads the previous output\n"
          "\n"
          "examples:\n"
          "  vyre plan examples/saxpy.wgsl --size 1000000\n"
          "  vyre plan examples/saxpy.wgsl --size 1000000 --device cpu --mode natural\n"
          "  vyre plan examples/matmul.wgsl --size 512,512 --limits threads=256\n"
          "  vyre plan --stages examples/stages.toml --budget 64KiB\n",
  };
}

Result<void> check(const PlanOptions& options) {
  const RunOptions& run = options.run;
  if (!options.stages.empty()) {
    const bool kernel_options = run.size || run.grid || run.fixed.any() || options.limits ||
                                run.mode || !run.settings.empty() || !run.entry.empty() ||
                                run.device != "auto";
    if (!run.files.empty() || kernel_options) {
      return fail(Code::invalid_input, "--stages takes only --budget and --json");
    }
    return {};
  }
  if (options.budget) return fail(Code::invalid_input, "--budget needs --stages");
  if (options.limits && !run.files.empty() && names_pipeline(run)) {
    return fail(Code::invalid_input, "--limits is for kernels; a pipeline is planned for a device",
                "give --device");
  }
  if (run.files.empty()) {
    return fail(Code::invalid_input, "FILE is missing", "give a WGSL file, or --stages FILE");
  }
  if (options.limits && run.device != "auto") {
    return fail(Code::invalid_input, "--device and --limits cannot both be given",
                "give one of them");
  }
  return check(run);
}

Exit run_command(const PlanOptions& options, Streams& streams) {
  if (options.stages.empty() && names_pipeline(options.run)) {
    return plan_pipeline_file(options.run, streams);
  }
  return options.stages.empty() ? plan_kernel(options, streams) : plan_stages(options, streams);
}

}  // namespace vyre
