#include "vyre/cli/run/run_buffers.h"

#include <fmt/format.h>

#include <algorithm>

#include "vyre/base/arithmetic.h"
#include "vyre/base/memory/memory_headroom.h"
#include "vyre/cli/run/field_path.h"
#include "vyre/cli/values.h"
#include "vyre/device/host_memory.h"
#include "vyre/plan/bindings/binding_plan.h"
#include "vyre/plan/bindings/extent_inference.h"
#include "vyre/plan/bindings/extent_volume.h"
#include "vyre/plan/geometry.h"
#include "vyre/plan/launch_request.h"

namespace vyre {
namespace {

template <class Buffers>
auto* find_buffer(Buffers& buffers, std::string_view name) {
  const auto found = std::ranges::find(buffers, name, &RunBuffer::name);
  return found == buffers.end() ? nullptr : &*found;
}

std::unexpected<Error> unknown_buffer(std::string_view option, std::string_view name,
                                      const Kernel& kernel, const std::vector<RunBuffer>& buffers) {
  std::vector<std::string> names;
  for (const RunBuffer& buffer : buffers) names.push_back(buffer.name);
  return fail(Code::invalid_input,
              fmt::format("{}: {} has no buffer {}", option, kernel.program->name, quote(name)),
              names.empty() ? "it has none" : fmt::format("it has {}", join_words(names)));
}

std::vector<RunBuffer> buffers_of(const Kernel& kernel) {
  std::vector<RunBuffer> out;
  const Program& program = *kernel.program;
  for (const Global& global : program.globals) {
    if (global.memory != MemoryKind::storage && global.memory != MemoryKind::uniform) continue;
    RunBuffer buffer;
    buffer.name = global.name;
    buffer.group = global.group;
    buffer.binding = global.binding;
    buffer.memory = global.memory;
    buffer.access = global.access;
    buffer.layout = buffer_layout(program.types, global.type);
    buffer.type = program.types.spell(global.type);
    out.push_back(std::move(buffer));
  }
  std::ranges::sort(
      out, {}, [](const RunBuffer& buffer) { return std::pair(buffer.group, buffer.binding); });
  return out;
}

// Reads files and counts elements, as far as that is possible without knowing the extent.
Result<void> open_buffer(const Kernel& kernel, RunBuffer& buffer) {
  if (!buffer.layout.runtime_sized) buffer.elements = buffer.layout.count;
  if (!buffer.source) return {};
  // A file is in memory twice while it is taken over.
  VYRE_TRY(buffer.opened,
           open_source(*buffer.source, data_of(kernel, buffer), available_memory() / 2));
  if (buffer.opened.elements) buffer.elements = buffer.opened.elements;
  buffer.shape = buffer.opened.shape;
  return {};
}

Result<void> attach_inputs(const Kernel& kernel, const RunOptions& options,
                           std::vector<RunBuffer>& buffers) {
  for (const InputArgument& input : options.inputs) {
    RunBuffer* buffer = find_buffer(buffers, input.name);
    if (buffer == nullptr) return unknown_buffer("--in", input.name, kernel, buffers);
    buffer->source = input.source;
  }
  for (const OutputArgument& output : options.outputs) {
    const RunBuffer* buffer = find_buffer(buffers, output.name);
    if (buffer == nullptr) return unknown_buffer("--out", output.name, kernel, buffers);
    VYRE_CHECK(check_sink(output.sink, data_of(kernel, *buffer)));
  }
  for (const PrintArgument& print : options.prints) {
    if (find_buffer(buffers, print.name) == nullptr) {
      return unknown_buffer("--print", print.name, kernel, buffers);
    }
  }
  for (const Assignment& uniform : options.uniforms) {
    const std::string_view root = path_root(uniform.path);
    if (find_buffer(buffers, root) == nullptr) {
      return unknown_buffer("--uniform", root, kernel, buffers);
    }
  }
  for (RunBuffer& buffer : buffers) VYRE_CHECK(open_buffer(kernel, buffer));
  return {};
}

bool is_assigned(const RunOptions& options, const RunBuffer& buffer) {
  return std::ranges::any_of(options.uniforms, [&](const Assignment& uniform) {
    return path_root(uniform.path) == buffer.name;
  });
}

// Everything the kernel only reads must have been given.
Result<void> check_given(const RunOptions& options, const std::vector<RunBuffer>& buffers) {
  for (const RunBuffer& buffer : buffers) {
    if (buffer.source || buffer.is_output()) continue;
    if (is_assigned(options, buffer) && !buffer.layout.runtime_sized) continue;
    const bool uniform = buffer.memory == MemoryKind::uniform;
    return fail(
        Code::invalid_input,
        fmt::format("{} ({} {}) is read by the kernel and was given no data", buffer.name,
                    uniform ? "uniform" : "input", buffer.type),
        uniform
            ? fmt::format("give --uniform {0}=VALUE or --uniform {0}.FIELD=VALUE,...", buffer.name)
            : fmt::format("give --in {0}=FILE.npy, {0}=raw:FILE or {0}=fill:...", buffer.name));
  }
  return {};
}

struct ChosenExtent {
  Extent extent{};
  Extent grid{};
  std::string reason;
  // Of a run-time sized buffer that has no size of its own; empty: too many to count.
  std::optional<std::uint64_t> elements;
  std::vector<std::string> longer{};
};

// Whether the grid covers more invocations than run.
bool is_cut(const ChosenExtent& chosen, const Extent& workgroup) {
  const auto whole = extent_in(DispatchSize::workgroups(chosen.grid), workgroup);
  return !whole || *whole != chosen.extent;
}

Result<ChosenExtent> inferred_extent(const Kernel& kernel, const RunOptions& options,
                                     const std::vector<RunBuffer>& buffers) {
  std::vector<CountedBuffer> counted;
  for (const RunBuffer& b : buffers) {
    counted.push_back({b.name, b.elements, b.is_output(), b.layout.runtime_sized});
  }
  VYRE_TRY(InferredExtent inferred, infer_extent(kernel, counted));
  if (options.strict && !inferred.longer.empty()) {
    return fail(Code::invalid_input,
                fmt::format("--strict: the size was inferred from {}, and {} longer", inferred.from,
                            inferred.longer.size() == 1 ? inferred.longer.front() + " is"
                                                        : join_words(inferred.longer) + " are"),
                "give --size X[,Y[,Z]] (invocations) or --grid X[,Y[,Z]] (workgroups)");
  }
  ChosenExtent out{inferred.extent, {}, std::move(inferred.from), inferred.elements};
  out.grid = grid_covering(out.extent, kernel.program->workgroup);
  out.longer = std::move(inferred.longer);
  return out;
}

Result<ChosenExtent> choose_extent(const Kernel& kernel, const RunOptions& options,
                                   const std::vector<RunBuffer>& buffers) {
  const Extent& workgroup = kernel.program->workgroup;
  if (options.size) {
    return ChosenExtent{*options.size, grid_covering(*options.size, workgroup), "--size",
                        volume_in_64_bits(*options.size)};
  }
  if (!options.grid) return inferred_extent(kernel, options, buffers);
  auto extent = extent_in(DispatchSize::workgroups(*options.grid), workgroup);
  if (!extent) return fail(Code::limit, "--grid: " + extent.error().what);
  return ChosenExtent{*extent, *options.grid, "--grid", volume_in_64_bits(*extent)};
}

// Gives every buffer without a size that of the extent.
Result<void> size_buffers(std::vector<RunBuffer>& buffers, const ChosenExtent& chosen) {
  for (RunBuffer& buffer : buffers) {
    if (buffer.elements) continue;
    if (!chosen.elements) {
      return fail(Code::limit, fmt::format("{} is sized at run time, and the extent {} is too "
                                           "large for it",
                                           buffer.name, format_extent(chosen.extent)));
    }
    buffer.elements = chosen.elements;
  }
  return {};
}

// Memory for every buffer, after a check that all of it fits.
Result<void> allocate_buffers(std::vector<RunBuffer>& buffers, const RunOptions& options) {
  // Timing and verifying keep what the buffers that are written held before.
  const bool twice = options.time || options.verify;
  std::uint64_t total = 0;
  for (const RunBuffer& buffer : buffers) {
    const auto bytes = buffer.layout.bytes_for(*buffer.elements);
    total = saturating_add(total, bytes.value_or(UINT64_MAX));
    if (twice && buffer.is_output()) total = saturating_add(total, bytes.value_or(UINT64_MAX));
  }
  if (const std::uint64_t available = available_memory(); total > available) {
    return fail(Code::limit, fmt::format("the buffers need {}; {} of memory are available",
                                         format_bytes(total), format_bytes(available)));
  }
  for (RunBuffer& buffer : buffers) {
    VYRE_TRY(buffer.bytes, ZeroedBytes::make(*buffer.layout.bytes_for(*buffer.elements)));
  }
  return {};
}

Result<void> fill_buffer(const Kernel& kernel, const RunOptions& options, RunBuffer& buffer) {
  const TypeTable& types = kernel.program->types;
  if (buffer.source) {
    auto put =
        put_data(*buffer.source, data_of(kernel, buffer), buffer.opened, buffer.bytes.span());
    if (!put) {
      put.error().what = fmt::format("--in: {}", put.error().what);
      return put;
    }
    buffer.opened = {};
  }
  if (!is_assigned(options, buffer)) return {};
  // Only what was given nothing else must be given in full.
  const bool in_full = !buffer.source && !buffer.is_output();
  std::vector<std::uint8_t> written(in_full ? buffer.bytes.size() : 0);
  for (const Assignment& uniform : options.uniforms) {
    if (path_root(uniform.path) != buffer.name) continue;
    auto assigned = assign(types, buffer.layout.type, uniform, buffer.bytes.span(), written);
    if (!assigned) {
      assigned.error().what = fmt::format("--uniform: {}", assigned.error().what);
      return assigned;
    }
  }
  if (!in_full) return {};
  const auto missing = unwritten_fields(types, buffer.layout.type, buffer.name, written);
  if (missing.empty()) return {};
  return fail(Code::invalid_input,
              fmt::format("--uniform: {} {} no value", join_words(missing),
                          missing.size() == 1 ? "has" : "have"),
              fmt::format("give one, or start from zeros with --in {}=fill:zeros", buffer.name));
}

}  // namespace

Result<ZeroedBytes> ZeroedBytes::make(std::uint64_t size) {
  ZeroedBytes out;
  VYRE_TRY(out.memory_, allocate_host_memory(size));
  return out;
}

BufferData data_of(const Kernel& kernel, const RunBuffer& buffer) {
  return {kernel.program->types, buffer.layout, buffer.name, buffer.type};
}

std::vector<std::uint64_t> output_shape(const RunPlan& plan, const RunBuffer& buffer,
                                        const DataSink& sink) {
  if (!buffer.shape.empty() || sink.form != DataSink::Form::image) return buffer.shape;
  if (plan.extent[1] > 1 && plan.extent[2] == 1 &&
      saturating_mul<std::uint64_t>(plan.extent[0], plan.extent[1]) == *buffer.elements) {
    return {plan.extent[1], plan.extent[0]};
  }
  for (const RunBuffer& other : plan.buffers) {
    if (other.shape.size() < 2 || other.elements != buffer.elements) continue;
    if (saturating_mul(other.shape[0], other.shape[1]) == *other.elements) {
      return {other.shape[0], other.shape[1]};
    }
  }
  return {};
}

std::uint64_t available_memory() { return memory_headroom().bytes; }

std::vector<BindingBytes> RunPlan::bytes() const {
  std::vector<BindingBytes> out;
  for (const RunBuffer& b : buffers) {
    out.push_back({b.group, b.binding, b.layout.bytes_for(*b.elements).value_or(UINT64_MAX),
                   !b.is_output() || b.source.has_value()});
  }
  return out;
}

Result<RunPlan> size_run(const Kernel& kernel, const RunOptions& options, bool may_miss_inputs) {
  RunPlan plan;
  plan.buffers = buffers_of(kernel);
  VYRE_CHECK(attach_inputs(kernel, options, plan.buffers));
  if (!may_miss_inputs) VYRE_CHECK(check_given(options, plan.buffers));
  VYRE_TRY(ChosenExtent chosen, choose_extent(kernel, options, plan.buffers));
  plan.shape = {chosen.grid, chosen.extent};
  plan.extent = chosen.extent;
  plan.extent_reason = std::move(chosen.reason);
  plan.longer = std::move(chosen.longer);
  plan.in_workgroups = options.grid.has_value();
  plan.cuts_workgroups = depends_on_workgroup(kernel) && is_cut(chosen, kernel.program->workgroup);
  VYRE_CHECK(size_buffers(plan.buffers, chosen));
  return plan;
}

Result<RunPlan> plan_run(const Kernel& kernel, const RunOptions& options) {
  VYRE_TRY(RunPlan plan, size_run(kernel, options, false));
  VYRE_CHECK(allocate_buffers(plan.buffers, options));
  for (RunBuffer& buffer : plan.buffers) {
    VYRE_CHECK(fill_buffer(kernel, options, buffer));
  }
  return plan;
}

}  // namespace vyre
