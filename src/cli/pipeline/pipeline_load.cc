#include "vyre/cli/pipeline/pipeline_load.h"

#include <fmt/format.h>

#include <filesystem>

#include "vyre/base/text/toml.h"
#include "vyre/cli/interrupt.h"
#include "vyre/cli/run/compare.h"
#include "vyre/cli/run/run_buffers.h"
#include "vyre/cli/values.h"
#include "vyre/pipeline/pipeline_file.h"

namespace vyre {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostSource = std::uint64_t{16} << 20U;  // of WGSL

Result<std::shared_ptr<const ReadyPipeline>> load_pipeline(const RunOptions& options,
                                                           Streams& streams) {
  const std::string& path = options.files.front();
  VYRE_TRY(const std::string text, read_input_file(path, kMaxTomlBytes));
  VYRE_TRY(const Pipeline pipeline, parse_pipeline(text, source_name(path)));
  ReadyOptions ready;
  const fs::path folder = fs::path(path).parent_path();
  ready.place = [&](const std::string& file) { return (folder / file).string(); };
  ready.read_file = [&](const std::string& file) {
    return read_input_file(ready.place(file), kMostSource);
  };
  ready.most_bytes = available_memory() / 2;
  ready.parse.lenient = options.lenient;
  ready.on_module = [&](const ParsedModule& module) { show_diagnostics(streams, module); };
  for (const DimArgument& d : options.dims) ready.dims.emplace_back(d.name, d.value);
  for (const InputArgument& in : options.inputs) ready.sources.emplace_back(in.name, in.source);
  for (const OutputArgument& out : options.outputs) ready.sinks.emplace_back(out.name, out.sink);
  VYRE_TRY(auto made, make_ready(pipeline, ready));
  return std::make_shared<const ReadyPipeline>(std::move(made));
}

Result<std::shared_ptr<const PipelinePlan>> plan_loaded(const ReadyPipeline& pipeline, bool fuse,
                                                        const RunOptions& options,
                                                        NeedsMemory needs_memory) {
  PipelinePlanOptions how;
  how.fuse = fuse;
  how.bands = fuse && !options.no_bands;
  how.memory_budget = options.memory_budget;
  VYRE_TRY(auto plan, plan_pipeline(pipeline, how));
  // On other devices the memory is looked at where it is allocated.
  const bool in_host_memory =
      needs_memory == NeedsMemory::yes && !options.device.starts_with("cuda");
  if (in_host_memory && plan.allocated_bytes > available_memory()) {
    return fail(Code::limit,
                fmt::format("the buffers need {}; {} of memory are available",
                            format_bytes(plan.allocated_bytes), format_bytes(available_memory())));
  }
  return std::make_shared<const PipelinePlan>(std::move(plan));
}

RunLimits pipeline_limits(const RunOptions& options) {
  RunLimits limits;
  limits.stop = &interrupt_flag();
  if (options.deadline_seconds) {
    limits.deadline =
        std::chrono::nanoseconds(static_cast<std::int64_t>(*options.deadline_seconds * 1e9));
  }
  return limits;
}

Result<PipelineMemory> interpret_stages(const ReadyPipeline& pipeline, std::uint64_t runs) {
  VYRE_TRY(PipelineMemory memory, first_memory(pipeline));
  for (std::uint64_t run = 0; run < runs; ++run) {
    VYRE_CHECK(interpret_pipeline(pipeline, memory, [] { return interrupting_signal() != 0; }));
  }
  return memory;
}

Result<std::uint64_t> compare_with(const PipelineMemory& expected, const ReadyPipeline& pipeline,
                                   const std::vector<std::vector<std::byte>>& found,
                                   const RunOptions& options) {
  Comparison all;
  for (std::size_t b = 0; b < expected.size(); ++b) {
    const ReadyBuffer& buffer = pipeline.buffers[b];
    if (!buffer.sink) continue;
    compare_buffers(buffer.program->types, buffer.layout, buffer.name, found[b], expected[b],
                    options.tolerance.value_or(Tolerance{}), all);
  }
  if (all.same()) return all.scalars;
  return fail(Code::device,
              fmt::format("{} of {} values differ from the interpreter's, the first at {}; nothing "
                          "was written",
                          all.different, all.scalars, all.first.front().place));
}

}  // namespace vyre
