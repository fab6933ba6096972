#include "vyre/cli/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "vyre/base/files.h"
#include "vyre/cli/buffer_text.h"
#include "vyre/cli/interrupt.h"
#include "vyre/cli/npy.h"
#include "vyre/cli/run_buffers.h"
#include "vyre/cli/table.h"
#include "vyre/cli/values.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kDefaultPrint = 16;
// JSON is built in memory before it is written.
constexpr std::uint64_t kMostJsonElements = std::uint64_t{1} << 24;

struct Ran {
  InterpretReport report;
  std::uint64_t elapsed_ns = 0;
};

struct Written {
  std::string name, path;
  std::uint64_t bytes = 0;
};

// Outputs are written after the run; what can be known before should not cost a run.
Result<void> check_output_places(const RunOptions& options) {
  for (const OutputArgument& output : options.outputs) {
    std::error_code error;
    if (fs::is_directory(output.path, error)) {
      return fail(Code::invalid_input, fmt::format("--out: {} is a folder", output.path));
    }
    if (fs::exists(output.path, error) && !fs::is_regular_file(output.path, error)) continue;
    const fs::path parent = fs::path(output.path).parent_path();
    const fs::path folder = parent.empty() ? fs::path(".") : parent;
    if (!fs::is_directory(folder, error)) {
      return fail(Code::invalid_input,
                  fmt::format("--out: there is no folder {}", folder.string()));
    }
    if (::access(folder.c_str(), W_OK) != 0) {
      return fail(Code::invalid_input,
                  fmt::format("--out: the folder {} cannot be written to", folder.string()));
    }
  }
  return {};
}

Result<Ran> run_kernel(const Kernel& kernel, RunPlan& plan, const RunOptions& options) {
  std::vector<BoundBuffer> bound;
  for (RunBuffer& buffer : plan.buffers) {
    bound.push_back({buffer.group, buffer.binding, buffer.bytes.span()});
  }
  const Clock::time_point begin = Clock::now();
  bool late = false;
  InterpretOptions limits;
  limits.step_budget = options.step_budget;
  limits.cancelled = [&] {
    if (options.deadline_seconds) {
      const std::chrono::duration<double> spent = Clock::now() - begin;
      late = late || spent.count() > *options.deadline_seconds;
    }
    return late || interrupting_signal() != 0;
  };
  auto report = interpret(kernel, bound, plan.shape, limits);
  if (interrupting_signal() != 0) return fail(Code::device, "interrupted");
  if (late) {
    return fail(Code::device, fmt::format("{} ran longer than the deadline of {} s",
                                          kernel.program->name, *options.deadline_seconds));
  }
  if (!report) return std::unexpected(std::move(report).error());
  const auto elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin);
  return Ran{*report, static_cast<std::uint64_t>(elapsed.count())};
}

std::vector<std::uint64_t> npy_shape(const RunBuffer& buffer, const ElementAxes& axes) {
  if (!buffer.shape.empty()) return buffer.shape;
  std::vector<std::uint64_t> shape = axes.axes;
  if (buffer.layout.is_array) shape.insert(shape.begin(), *buffer.elements);
  return shape;
}

Result<Written> write_output(const TypeTable& types, const RunBuffer& buffer,
                             const OutputArgument& output) {
  if (output.raw) {
    VYRE_CHECK(replace_file(output.path, buffer.bytes.span()));
    return Written{buffer.name, output.path, buffer.bytes.size()};
  }
  const auto axes = element_axes(types, buffer.layout.element);
  const std::string header = npy_header(axes->kind, npy_shape(buffer, *axes));
  const auto header_bytes = std::as_bytes(std::span(header.data(), header.size()));
  std::vector<std::byte> content = pack_elements(types, buffer.layout, buffer.bytes.span());
  content.insert(content.begin(), header_bytes.begin(), header_bytes.end());
  VYRE_CHECK(replace_file(output.path, content));
  return Written{buffer.name, output.path, content.size()};
}

const RunBuffer& buffer_named(const RunPlan& plan, const std::string& name) {
  return *std::ranges::find(plan.buffers, name, &RunBuffer::name);
}

// What the user asked to see; without a wish, the outputs.
std::vector<PrintArgument> prints(const RunPlan& plan, const RunOptions& options) {
  if (!options.prints.empty() || !options.outputs.empty()) return options.prints;
  std::vector<PrintArgument> out;
  for (const RunBuffer& buffer : plan.buffers) {
    if (buffer.is_output()) out.push_back({buffer.name, kDefaultPrint});
  }
  return out;
}

Result<void> check_print_sizes(const RunPlan& plan, const RunOptions& options) {
  if (!options.json) return {};
  for (const PrintArgument& print : options.prints) {
    const std::uint64_t elements = *buffer_named(plan, print.name).elements;
    if (std::min(elements, print.elements.value_or(kDefaultPrint)) > kMostJsonElements) {
      return fail(
          Code::limit,
          fmt::format("--print: {} elements of {} are too many for JSON; the most are {}",
                      with_commas(*print.elements), print.name, with_commas(kMostJsonElements)),
          fmt::format("write them with --out {}=FILE", print.name));
    }
  }
  return {};
}

std::string duration_text(std::uint64_t ns) {
  const auto value = static_cast<double>(ns);
  if (ns < 1'000'000) return fmt::format("{:.1f} us", value / 1e3);
  if (ns < 1'000'000'000) return fmt::format("{:.1f} ms", value / 1e6);
  return fmt::format("{:.2f} s", value / 1e9);
}

void print_human(Output& out, const Kernel& kernel, const RunPlan& plan, const RunOptions& options,
                 const Ran& ran, const std::vector<Written>& written) {
  const Extent& grid = plan.shape.grid;
  out.print("{} on interp (the reference interpreter)\n", bold(out, kernel.program->name));
  out.print("  extent {} from {}: {} workgroups of {}\n", format_extent(plan.extent),
            plan.extent_reason, format_extent(grid), format_extent(kernel.program->workgroup));
  out.print("  {}, {}, {}\n", counted(ran.report.invocations, "invocation"),
            counted(ran.report.steps, "step"), duration_text(ran.elapsed_ns));
  for (const PrintArgument& print : prints(plan, options)) {
    const RunBuffer& buffer = buffer_named(plan, print.name);
    out.print("{}: {}, {}\n", bold(out, buffer.name), buffer.type,
              counted(*buffer.elements, "element"));
    print_elements(out, kernel.program->types, buffer.layout, buffer.bytes.span(),
                   print.elements.value_or(kDefaultPrint));
  }
  for (const Written& each : written) {
    out.print("wrote {} to {} ({})\n", each.name, each.path, format_bytes(each.bytes));
  }
}

Json run_json(const Kernel& kernel, const RunPlan& plan, const RunOptions& options, const Ran& ran,
              const std::vector<Written>& written) {
  Json json;
  json["file"] = source_name(options.files.front());
  json["entry"] = kernel.program->name;
  json["fingerprint"] = to_hex(kernel.fingerprint);
  json["device"] = "interp";
  json["workgroup"] = to_json(kernel.program->workgroup);
  json["grid"] = to_json(plan.shape.grid);
  json["extent"] = to_json(plan.extent);
  json["extent_from"] = plan.extent_reason;
  json["invocations"] = ran.report.invocations;
  json["steps"] = ran.report.steps;
  json["elapsed_ns"] = ran.elapsed_ns;
  json["buffers"] = Json::array();
  for (const RunBuffer& buffer : plan.buffers) {
    json["buffers"].push_back({{"name", buffer.name},
                               {"role", buffer.role()},
                               {"type", buffer.type},
                               {"elements", *buffer.elements},
                               {"bytes", buffer.bytes.size()},
                               {"from", buffer.source ? Json(describe(*buffer.source)) : Json()}});
  }
  json["printed"] = Json::array();
  for (const PrintArgument& print : prints(plan, options)) {
    const RunBuffer& buffer = buffer_named(plan, print.name);
    json["printed"].push_back(
        {{"name", buffer.name},
         {"type", buffer.type},
         {"elements", *buffer.elements},
         {"values", elements_json(kernel.program->types, buffer.layout, buffer.bytes.span(),
                                  print.elements.value_or(kDefaultPrint))}});
  }
  json["written"] = Json::array();
  for (const Written& each : written) {
    json["written"].push_back({{"name", each.name}, {"path", each.path}, {"bytes", each.bytes}});
  }
  return json;
}

}  // namespace

CommandHelp declare(OptionSet& set, RunOptions& options) {
  set.positional("FILE", "a WGSL file; - is the standard input", options.files, 1, 1);
  set.value("--entry", "NAME", "the entry point, where there are several", options.entry);
  set.repeated("--in", "NAME=DATA", "what a buffer holds at the start", options.inputs,
               parse_input);
  set.repeated("--uniform", "PATH=VALUE,...", "values by field: p.n=4,p.direction=0:0:1",
               options.uniforms, parse_assignments);
  set.repeated("--set", "NAME=VALUE", "give an override a value, by its name or @id",
               options.settings, parse_settings);
  set.value("--size", "X[,Y[,Z]]", "run exactly so many invocations along each axis", options.size,
            [](const std::string& text) { return parse_extent(text); });
  set.value("--grid", "X[,Y[,Z]]", "run so many workgroups, all of their invocations", options.grid,
            [](const std::string& text) { return parse_extent(text); });
  set.repeated("--out", "NAME=FILE", "write a buffer: NAME=file.npy or NAME=raw:file",
               options.outputs, parse_output);
  set.repeated("--print", "NAME[:N]", "print the first N elements of a buffer (16)", options.prints,
               parse_print);
  set.value("--device", "NAME", "auto or interp, the reference interpreter", options.device);
  set.value("--step-budget", "N", "fail after N statements, counted over all invocations",
            options.step_budget, [](const std::string& text) -> Result<std::uint64_t> {
              VYRE_TRY(const std::uint64_t steps, parse_whole(text));
              if (steps == 0) return fail(Code::invalid_input, "the least is 1");
              return steps;
            });
  set.value("--deadline", "SECONDS", "fail after so much time", options.deadline_seconds,
            [](const std::string& text) -> Result<double> {
              VYRE_TRY(const double seconds, parse_number(text));
              if (seconds <= 0) return fail(Code::invalid_input, "it must be more than 0");
              return seconds;
            });
  set.flag("--json", "print JSON", options.json);
  return {
      .usage = "vyre run FILE [options]",
      .summary =
          "Runs a kernel on data. Without --size or --grid, a kernel with one axis runs over the\n"
          "elements of its largest output (of its largest buffer, where it has atomics or "
          "workgroup\n"
          "memory), and in whole workgroups where these work together. A read_write buffer "
          "without\n"
          "data starts as zeros; where it is sized at run time, it has one element for each\n"
          "invocation. Without --out or --print the beginning of every output is printed.",
      .details =
          "DATA is one of:\n"
          "  file.npy           a NumPy array: little-endian f4, i4, u4 or f2 in C order; a vecN "
          "is a\n"
          "                     last axis of N, a matCxR are two last axes (C, R)\n"
          "  raw:file           the bytes of the buffer as they lie in memory; needed for structs\n"
          "  fill:zeros         zeros\n"
          "  fill:iota          0, 1, 2, ... through all scalars\n"
          "  fill:const=V       V everywhere\n"
          "  fill:random=SEED   f32 and f16 in [0, 1), i32 and u32 over their whole range; the "
          "same\n"
          "                     numbers for the same seed on every machine (SplitMix64)\n"
          "A fill takes :N behind it for a run-time sized array of N elements; without, N is the\n"
          "product of --size.\n"
          "\n"
          "examples:\n"
          "  vyre run examples/saxpy.wgsl --size 8 --in x=fill:iota --in y=fill:const=1 \\\n"
          "      --uniform a=2\n"
          "  vyre run examples/matmul.wgsl --size 64,64 --in a=a.npy --in b=b.npy --out c=c.npy "
          "\\\n"
          "      --uniform shape.rows=64,shape.inner=64,shape.columns=64\n",
  };
}

Result<void> check(const RunOptions& options) {
  if (options.device != "auto" && options.device != "interp") {
    return fail(Code::invalid_input, fmt::format("--device: there is no {}", quote(options.device)),
                "there are auto and interp");
  }
  if (options.size && options.grid) {
    return fail(Code::invalid_input, "--size and --grid say the same in two ways",
                "give one of them");
  }
  for (std::size_t i = 0; i < options.inputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (options.inputs[i].name == options.inputs[j].name) {
        return fail(Code::invalid_input,
                    fmt::format("--in: {} was given twice", quote(options.inputs[i].name)));
      }
    }
  }
  for (std::size_t i = 0; i < options.outputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (options.outputs[i].path == options.outputs[j].path) {
        return fail(Code::invalid_input, fmt::format("--out: {} would be written twice",
                                                     quote(options.outputs[i].path)));
      }
    }
  }
  for (std::size_t i = 0; i < options.uniforms.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (options.uniforms[i].path == options.uniforms[j].path) {
        return fail(Code::invalid_input,
                    fmt::format("--uniform: {} was given twice", quote(options.uniforms[i].path)));
      }
    }
  }
  return {};
}

Exit run_command(const RunOptions& options, Streams& streams) {
  const std::string& path = options.files.front();
  auto text = read_source(path, streams);
  if (!text) return report(streams, text.error());
  const ParsedModule parsed = parse_wgsl(*std::move(text), source_name(path));
  show_diagnostics(streams, parsed);
  if (!parsed.module) return Exit::wrong;
  const auto program = choose_entry(*parsed.module, source_name(path), options.entry);
  if (!program) return report(streams, program.error());
  const auto kernel = make_kernel_with(**program, options.settings);
  if (!kernel) return report(streams, kernel.error());
  if (const auto places = check_output_places(options); !places) {
    return report(streams, places.error());
  }
  auto plan = plan_run(*kernel, options);
  if (!plan) return report(streams, plan.error());
  if (const auto sizes = check_print_sizes(*plan, options); !sizes) {
    return report(streams, sizes.error());
  }
  if (plan->cuts_workgroups) {
    streams.err.print(
        "vyre: note: {} works by workgroups of {}, and --size cuts the last ones short; to run all "
        "of their invocations use --grid {},{},{}\n",
        kernel->program->name, format_extent(kernel->program->workgroup), plan->shape.grid[0],
        plan->shape.grid[1], plan->shape.grid[2]);
    streams.err.flush();
  }

  const InterruptGuard guard;
  const auto ran = run_kernel(*kernel, *plan, options);
  if (!ran) return report(streams, ran.error(), Exit::failed);
  std::vector<Written> written;
  for (const OutputArgument& output : options.outputs) {
    auto file = write_output(kernel->program->types, buffer_named(*plan, output.name), output);
    if (!file) return report(streams, file.error(), Exit::failed);
    written.push_back(*std::move(file));
  }
  if (options.json) {
    write_json(streams.out, run_json(*kernel, *plan, options, *ran, written));
  } else {
    print_human(streams.out, *kernel, *plan, options, *ran, written);
  }
  return Exit::done;
}

}  // namespace vyre
