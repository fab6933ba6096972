#include "vyre/cli/run/run.h"

#include <fmt/format.h>

#include <algorithm>

#include "vyre/base/files/files.h"
#include "vyre/cli/devices.h"
#include "vyre/cli/interrupt.h"
#include "vyre/cli/output_place.h"
#include "vyre/cli/pipeline/pipeline_command.h"
#include "vyre/cli/run/emit.h"
#include "vyre/cli/run/run_buffers.h"
#include "vyre/cli/run/run_execute.h"
#include "vyre/cli/run/run_report.h"
#include "vyre/cli/run/timing.h"
#include "vyre/cli/values.h"

namespace vyre {
namespace {

Result<void> check_output_places(const RunOptions& options) {
  for (const OutputArgument& output : options.outputs) {
    VYRE_CHECK(check_output_place("--out", output.sink.path));
  }
  if (options.emit_to == "-") {
    return fail(Code::invalid_input, "--emit-to does not write to the standard output",
                "leave it out: --emit alone prints the code");
  }
  if (!options.emit_to.empty()) VYRE_CHECK(check_output_place("--emit-to", options.emit_to));
  return {};
}

// Options that say nothing about the interpreter, or about a run that does not happen.
Result<void> check_together(const RunOptions& options) {
  if (is_interpreter(options.device)) {
    std::string odd = first_option(options.fixed);
    if (!options.emit.empty()) odd = "--emit";
    if (options.verify) odd = "--verify";
    if (!odd.empty()) {
      return fail(Code::invalid_input,
                  fmt::format("{} is for devices that run compiled code, not for interp", odd),
                  "give another --device");
    }
  } else if (options.step_budget != 0) {
    return fail(Code::invalid_input, "--step-budget: only the interpreter counts steps",
                "give --deadline SECONDS, or --device interp");
  }
  if (options.device == "null" && options.verify) {
    return fail(Code::invalid_input, "--verify: the device null runs nothing");
  }
  if (options.tolerance && !options.verify) {
    return fail(Code::invalid_input, "--tolerance needs --verify");
  }
  if (options.emit.empty()) {
    if (!options.emit_to.empty()) return fail(Code::invalid_input, "--emit-to needs --emit");
    return {};
  }
  if (!is_emit_word(options.emit)) {
    return fail(Code::invalid_input, fmt::format("--emit: there is no {}", quote(options.emit)),
                fmt::format("there are {}", emit_words()));
  }
  const std::string_view odd = options.time               ? "--time"
                               : options.verify           ? "--verify"
                               : !options.outputs.empty() ? "--out"
                               : !options.prints.empty()  ? "--print"
                                                          : "";
  if (odd.empty()) return {};
  return fail(Code::invalid_input, fmt::format("{} and --emit cannot both be given", odd),
              "give one of them");
}

void note_cut_workgroups(Streams& streams, const Kernel& kernel, const RunPlan& plan) {
  streams.err.print(
      "vyre: note: invocations of {} depend on their workgroup of {}, and --size cuts the last "
      "workgroups short; to run whole workgroups use --grid {},{},{}\n",
      kernel.program->name, format_extent(kernel.program->workgroup), plan.shape.grid[0],
      plan.shape.grid[1], plan.shape.grid[2]);
  streams.err.flush();
}

// The rest of a longer buffer may have been meant to be covered, too.
void note_longer_buffers(Streams& streams, const RunPlan& plan) {
  if (plan.longer.empty()) return;
  streams.err.print(
      "vyre: note: the size was inferred from {}; {} longer; give --size to choose it\n",
      plan.extent_reason,
      plan.longer.size() == 1 ? plan.longer.front() + " is" : join_words(plan.longer) + " are");
  streams.err.flush();
}

Exit report_differences(const RunOptions& options, const Kernel& kernel, const RunPlan& plan,
                        const RunRecord& record, Streams& streams) {
  if (options.json) write_json(streams.out, run_json(kernel, plan, options, record));
  const Verification& verification = *record.verification;
  report(
      streams,
      {Code::device,
       fmt::format("{} of {} values differ from the interpreter's ({}); nothing was written",
                   with_commas(verification.comparison.different),
                   with_commas(verification.comparison.scalars), describe(verification.tolerance)),
       ""});
  if (!options.json) print_differences(streams.err, record);
  return Exit::failed;
}

}  // namespace

void declare_run_options(OptionSet& set, RunOptions& options) {
  set.value("--entry", "NAME", "the entry point, if there are several", options.entry);
  set.flag("--lenient", "accept what wgpu accepts beyond the specification, with warnings",
           options.lenient);
  set.repeated("--in", "NAME=DATA", "the initial contents of a buffer", options.inputs,
               parse_input);
  set.repeated("--uniform", "PATH=VALUE,...", "values of fields: p.n=4,p.direction=0:0:1",
               options.uniforms, parse_assignments);
  set.repeated("--set", "NAME=VALUE", "give an override a value, by its name or @id",
               options.settings, parse_settings);
  set.value("--size", "X[,Y[,Z]]", "the number of invocations along each axis", options.size,
            [](const std::string& text) { return parse_extent(text); });
  set.value("--grid", "X[,Y[,Z]]", "the number of workgroups along each axis", options.grid,
            [](const std::string& text) { return parse_extent(text); });
  set.repeated("--out", "NAME=FILE", "write a buffer: NAME=file.npy, file.png or raw:file",
               options.outputs, parse_output);
  set.repeated("--print", "NAME[:N]", "print the first N elements of a buffer (16)", options.prints,
               parse_print);
  set.value("--device", "NAME",
            "auto (the fastest available), cpu, cuda, cuda:N, null (runs\n"
            "nothing) or interp, the reference interpreter",
            options.device);
  set.optional_value("--time", "N", "run N times, or long enough, and show the median",
                     options.time, parse_runs);
  set.flag("--verify", "compare the results with the interpreter's", options.verify);
  set.value("--tolerance", "T", "with --verify: 4ulp, or 1e-5 of the larger value (0)",
            options.tolerance, [](const std::string& text) { return parse_tolerance(text); });
  declare(set, options.fixed);
  set.value("--mode", "MODE", "natural, on, off or frozen, instead of VYRE_AUTOTUNER", options.mode,
            [](const std::string& text) -> Result<TunerMode> {
              const auto mode = parse_mode(text);
              if (!mode) return std::unexpected(to_error(mode.error()));
              return *mode;
            });
  set.flag("--strict", "fail if the size is inferred and a buffer is longer", options.strict);
  set.value("--emit", "WHAT", fmt::format("print the code and run nothing: {}", emit_words()),
            options.emit);
  set.value("--emit-to", "FILE", "write the code of --emit to a file", options.emit_to);
  set.value("--step-budget", "N", "on interp: fail after N statements of all invocations",
            options.step_budget, [](const std::string& text) -> Result<std::uint64_t> {
              VYRE_TRY(const std::uint64_t steps, parse_whole(text));
              if (steps == 0) return fail(Code::invalid_input, "it must be at least 1");
              return steps;
            });
  set.value("--deadline", "SECONDS", "fail if the kernel runs longer", options.deadline_seconds,
            parse_deadline);
  set.repeated("--dim", "NAME=N", "pipelines: give a dim a value", options.dims, parse_dim);
  set.value("--repeat", "N", "pipelines: run N times before the outputs are written",
            options.repeat, [](const std::string& text) { return parse_runs(text); });
  set.flag("--no-fuse", "pipelines: a launch for every stage, one after the other",
           options.no_fuse);
  set.flag("--no-bands", "pipelines: on the CPU, launches one after the other instead of in bands",
           options.no_bands);
  set.flag("--explain", "pipelines: show what was fused, what was not, and why", options.explain);
  set.value("--report", "FILE", "pipelines: write a page about the run", options.report);
  set.value("--trace", "FILE", "pipelines: write a trace of the launches for Perfetto",
            options.trace);
  set.value("--memory-budget", "BYTES", "pipelines: the most memory to allocate",
            options.memory_budget, [](const std::string& text) { return parse_bytes(text); });
  set.flag("--json", "print JSON", options.json);
}

CommandHelp declare(OptionSet& set, RunOptions& options) {
  set.positional("FILE", "a WGSL file, or a pipeline (.toml); - is WGSL on the standard input",
                 options.files, 1, 1);
  declare_run_options(set, options);
  return {
      .usage = "vyre run FILE [options]",
      .summary =
          "Runs a kernel on data. Without --size or --grid, a kernel with one axis runs over the\n"
          "elements of its largest output (or of its largest buffer, if it has atomics or\n"
          "workgroup memory), in whole workgroups if their invocations depend on each other. A\n"
          "read_write buffer without data starts as zeros; if it is sized at run time, it has one\n"
          "element per invocation. Without --out or --print the beginning of every output is\n"
          "printed.",
      .details =
          "DATA is one of:\n"
          "  file.npy           a NumPy array: little-endian f4, i4, u4 or f2 in C order; a vecN "
          "is a\n"
          "                     last axis of N, a matCxR are two last axes (C, R), a struct is a\n"
          "                     record (structured dtype) with a field for each member\n"
          "  file.png|pgm|ppm   an image of 8 bits per channel: array<f32> (grey), "
          "array<vec3<f32>>,\n"
          "                     array<vec4<f32>> (0 to 1) or array<u32> (packed, red lowest)\n"
          "  raw:file           the bytes of the buffer as they lie in memory\n"
          "  fill:zeros         zeros\n"
          "  fill:iota          0, 1, 2, ... through all scalars\n"
          "  fill:const=V       V in every scalar\n"
          "  fill:random=SEED   f32 and f16 in [0, 1), i32 and u32 over their whole range; the "
          "same\n"
          "                     numbers for the same seed on every machine (SplitMix64)\n"
          "Append :N to a fill to make a run-time sized array of N elements; without it, N is\n"
          "the product of --size.\n"
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
  if (!is_interpreter(options.device)) {
    VYRE_CHECK(check_device_name(options.device, "null and interp"));
  }
  VYRE_CHECK(check_together(options));
  VYRE_CHECK(check_pipeline_options(options));
  if (options.size && options.grid) {
    return fail(Code::invalid_input, "--size and --grid cannot both be given", "give one of them");
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
      if (options.outputs[i].sink.path == options.outputs[j].sink.path) {
        return fail(Code::invalid_input, fmt::format("--out: {} would be written twice",
                                                     quote(options.outputs[i].sink.path)));
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
  if (names_pipeline(options)) return run_pipeline(options, streams);
  const std::string& path = options.files.front();
  auto text = read_source(path, streams);
  if (!text) return report(streams, text.error());
  const ParsedModule parsed =
      parse_wgsl(*std::move(text), source_name(path), {.lenient = options.lenient});
  show_diagnostics(streams, parsed);
  if (!parsed.module) return Exit::wrong;
  const auto program = choose_entry(*parsed.module, source_name(path), options.entry);
  if (!program) return report(streams, program.error());
  const auto kernel = make_kernel_with(**program, options.settings);
  if (!kernel) return report(streams, kernel.error());
  if (const auto places = check_output_places(options); !places) {
    return report(streams, places.error());
  }
  const InterruptGuard guard;
  if (!options.emit.empty()) return emit_command(options, *kernel, streams);
  std::optional<Session> session;
  if (!is_interpreter(options.device)) {
    auto opened = open_session(options);
    if (!opened) return report(streams, opened.error(), exit_for(opened.error()));
    session = *std::move(opened);
  }
  auto plan = plan_run(*kernel, options);
  if (!plan) return report(streams, plan.error());
  if (session) {
    const auto launch = session->plan(*kernel, plan->bytes(), plan->size(), options.fixed);
    if (!launch) return report(streams, launch.error(), exit_for(launch.error()));
  }
  note_longer_buffers(streams, *plan);
  if (const auto sizes = check_print_sizes(*plan, options); !sizes) {
    return report(streams, sizes.error());
  }
  if (plan->cuts_workgroups) note_cut_workgroups(streams, *kernel, *plan);

  std::optional<InitialData> initial;
  if (options.time || options.verify) {
    auto copied = InitialData::of(*plan);
    if (!copied) return report(streams, copied.error(), Exit::failed);
    initial = *std::move(copied);
  }
  const InitialData* start = initial ? &*initial : nullptr;
  auto record = session ? run_on_device(*session, *kernel, *plan, start, options, streams.err)
                        : run_on_interpreter(*kernel, *plan, start, options);
  if (!record) return report(streams, record.error(), Exit::failed);
  if (options.verify) {
    auto verified = verify(*kernel, *plan, *initial, options.tolerance.value_or(Tolerance{}));
    if (!verified) return report(streams, verified.error(), Exit::failed);
    record->verification = *std::move(verified);
    if (!record->verification->comparison.same()) {
      return report_differences(options, *kernel, *plan, *record, streams);
    }
  }
  for (const OutputArgument& output : options.outputs) {
    const RunBuffer& buffer = buffer_named(*plan, output.name);
    const auto bytes = write_data(output.sink, data_of(*kernel, buffer), buffer.bytes.span(),
                                  output_shape(*plan, buffer, output.sink));
    if (!bytes) return report(streams, bytes.error(), Exit::failed);
    record->written.push_back({buffer.name, output.sink.path, *bytes});
  }
  if (options.json) {
    write_json(streams.out, run_json(*kernel, *plan, options, *record));
  } else {
    print_run(streams.out, *kernel, *plan, options, *record);
  }
  return Exit::done;
}

}  // namespace vyre
