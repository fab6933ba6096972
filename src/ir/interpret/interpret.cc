// Runs one launch: one workgroup after the other, and within a workgroup one invocation after the
// other up to the next barrier or subgroup operation.
#include "vyre/ir/interpret/interpret.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

#include "vyre/base/arithmetic.h"
#include "vyre/ir/interpret/interpret_bind.h"
#include "vyre/ir/interpret/interpret_machine.h"
#include "vyre/ir/interpret/interpret_subgroup.h"

namespace vyre {
namespace {

constexpr std::uint64_t kMaxWorkgroupBytes = std::uint64_t{1} << 32;
constexpr std::uint32_t kNoLimit = std::numeric_limits<std::uint32_t>::max();

struct Launch {
  const Program& program;
  const FlatCode& code;
  Machine machine;
  std::span<std::byte> workgroup_memory;
  std::vector<Invocation> invocations;  // one, or all of a workgroup where there are barriers
  InterpretReport report;
};

// Whether invocations wait for each other.
bool run_together_is_needed(const FlatCode& code) {
  return !code.barriers.empty() || !code.subgroups.empty();
}

void write_id(std::byte* memory, Slot slot, const Extent& id) {
  std::memcpy(memory + slot, id.data(), sizeof(Extent));
}

// The number of invocations of a workgroup along one axis that are inside the extent.
std::uint32_t inside(std::uint32_t group, std::uint32_t size, std::uint32_t extent) {
  if (extent == kNoLimit) return size;
  const std::uint64_t first = std::uint64_t{group} * size;
  if (first >= extent) return 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(size, extent - first));
}

Result<void> stopped(const Launch& launch, Machine::Stop reason) {
  if (reason == Machine::Stop::budget) {
    return fail(Code::limit,
                fmt::format("kernel `{}` used up its budget after {} steps", launch.program.name,
                            launch.machine.steps()),
                "look for a loop that does not end, or raise the step budget");
  }
  return fail(Code::limit, fmt::format("kernel `{}` was cancelled after {} steps",
                                       launch.program.name, launch.machine.steps()));
}

std::string spell(const Program& program, SourcePos pos) {
  if (pos.line == 0) return {};
  return fmt::format(" ({}:{}:{})", program.source_name, pos.line, pos.column);
}

// Checks that all invocations of the workgroup wait at one barrier, or that all have ended.
Result<void> check_barrier(const Launch& launch, std::span<const Invocation> all) {
  const Invocation& one = *std::ranges::find_if(all, [](const Invocation& i) { return !i.ended; });
  const auto waiting = std::ranges::count_if(
      all, [&](const Invocation& i) { return !i.ended && i.barrier == one.barrier; });
  if (static_cast<std::size_t>(waiting) == all.size()) return {};
  return fail(Code::invalid_input,
              fmt::format("kernel `{}`: {} of {} invocations of a workgroup reach a barrier{}; the "
                          "others ended or wait elsewhere",
                          launch.program.name, waiting, all.size(),
                          spell(launch.program, launch.code.barriers[one.barrier])),
              "let every invocation of a workgroup reach the same barriers");
}

void begin(Launch& launch, Invocation& invocation, const Extent& group, const Extent& local) {
  const Extent& size = launch.program.workgroup;
  Extent global{};
  for (unsigned axis = 0; axis < 3; ++axis) global[axis] = group[axis] * size[axis] + local[axis];
  invocation.next = 0;
  invocation.ended = false;
  invocation.in_subgroup = false;
  write_id(invocation.memory, kGlobalIdSlot, global);
  write_id(invocation.memory, kLocalIdSlot, local);
  write_id(invocation.memory, kWorkgroupIdSlot, group);
  const std::uint32_t index = (local[2] * size[1] + local[1]) * size[0] + local[0];
  std::memcpy(invocation.memory + kLocalIndexSlot, &index, sizeof(index));
  ++launch.report.invocations;
}

Result<void> run_together(Launch& launch, std::span<Invocation> all) {
  while (true) {
    bool any_waits = false;
    for (Invocation& invocation : all) invocation.at_barrier = false;
    do {
      for (Invocation& invocation : all) {
        if (invocation.ended || invocation.at_barrier || invocation.in_subgroup) continue;
        switch (const auto stop = launch.machine.run(invocation)) {
          case Machine::Stop::end:
          case Machine::Stop::subgroup: break;
          case Machine::Stop::barrier: any_waits = invocation.at_barrier = true; break;
          default: return stopped(launch, stop);
        }
      }
    } while (run_subgroups(launch.code, all));
    if (!any_waits) return {};
    VYRE_CHECK(check_barrier(launch, all));
  }
}

Result<void> run_workgroup(Launch& launch, const Extent& group, const Extent& active) {
  std::ranges::fill(launch.workgroup_memory, std::byte{0});
  const bool together = run_together_is_needed(launch.code);
  std::size_t begun = 0;
  for (std::uint32_t z = 0; z < active[2]; ++z) {
    for (std::uint32_t y = 0; y < active[1]; ++y) {
      for (std::uint32_t x = 0; x < active[0]; ++x) {
        Invocation& invocation = launch.invocations[begun];
        begin(launch, invocation, group, {x, y, z});
        if (together) {
          ++begun;
        } else {
          VYRE_CHECK(run_together(launch, {&invocation, 1}));
        }
      }
    }
  }
  return together ? run_together(launch, std::span(launch.invocations).first(begun))
                  : Result<void>{};
}

Result<void> run_grid(Launch& launch, const LaunchShape& shape) {
  const Extent& size = launch.program.workgroup;
  Extent groups{};
  for (unsigned axis = 0; axis < 3; ++axis) {
    groups[axis] = shape.grid[axis];
    if (shape.extent[axis] == kNoLimit) continue;
    groups[axis] = std::min(groups[axis], ceil_div(shape.extent[axis], size[axis]));
  }
  for (std::uint32_t z = 0; z < groups[2]; ++z) {
    for (std::uint32_t y = 0; y < groups[1]; ++y) {
      for (std::uint32_t x = 0; x < groups[0]; ++x) {
        const Extent active{inside(x, size[0], shape.extent[0]),
                            inside(y, size[1], shape.extent[1]),
                            inside(z, size[2], shape.extent[2])};
        VYRE_CHECK(run_workgroup(launch, {x, y, z}, active));
      }
    }
  }
  return {};
}

std::unexpected<Error> too_large(const Program& program, std::uint64_t bytes) {
  return fail(Code::limit,
              fmt::format("one workgroup of kernel `{}` needs {} bytes; the interpreter allows {}",
                          program.name, bytes, kMaxWorkgroupBytes),
              "use smaller arrays or a smaller workgroup");
}

// Assigns an offset to every workgroup variable, and returns their total size in bytes.
std::uint64_t measure_workgroup_memory(const Program& program,
                                       std::vector<std::uint64_t>& offsets) {
  std::uint64_t end = 0;
  offsets.assign(program.globals.size(), 0);
  for (std::size_t i = 0; i < program.globals.size(); ++i) {
    if (program.globals[i].memory != MemoryKind::workgroup) continue;
    offsets[i] = end;
    const std::uint64_t bytes = program.types.layout(program.globals[i].type).size;
    end = saturating_add(end, saturating_add<std::uint64_t>(bytes, 15) / 16 * 16);
  }
  return end;
}

Result<InterpretReport> launch(const Kernel& kernel, std::span<const BoundBuffer> buffers,
                               const LaunchShape& shape, const InterpretOptions& options) {
  const Program& program = *kernel.program;
  VYRE_TRY(auto globals, bind_buffers(program, buffers));

  std::vector<std::uint64_t> offsets;
  const std::uint64_t shared = measure_workgroup_memory(program, offsets);
  if (shared > kMaxWorkgroupBytes) return too_large(program, shared);
  std::vector<std::byte> workgroup_memory(shared);
  for (std::size_t i = 0; i < globals.size(); ++i) {
    if (program.globals[i].memory == MemoryKind::workgroup) {
      globals[i] = {workgroup_memory.data() + offsets[i],
                    program.types.layout(program.globals[i].type).size};
    }
  }

  VYRE_TRY(const FlatCode code, compile_for_interpreter(program, globals));
  std::uint64_t count = 1;
  if (run_together_is_needed(code)) {
    for (const std::uint32_t axis : program.workgroup)
      count = saturating_mul<std::uint64_t>(count, axis);
  }
  const std::uint64_t bytes = saturating_mul(code.invocation_bytes, count);
  if (bytes > kMaxWorkgroupBytes) return too_large(program, bytes);
  std::vector<std::byte> memory(bytes);

  Launch launch{.program = program,
                .code = code,
                .machine = Machine(code, program.types, options.step_budget, options.cancelled),
                .workgroup_memory = workgroup_memory,
                .invocations = std::vector<Invocation>(count),
                .report = {}};
  for (std::uint64_t i = 0; i < count; ++i) {
    std::byte* const at = memory.data() + i * code.invocation_bytes;
    std::ranges::copy(code.image, at);
    write_id(at, kWorkgroupCountSlot, shape.grid);
    launch.invocations[i].memory = at;
  }
  VYRE_CHECK(run_grid(launch, shape));
  if (options.step_budget != 0 && launch.machine.steps() > options.step_budget) {
    VYRE_CHECK(stopped(launch, Machine::Stop::budget));
  }
  launch.report.steps = launch.machine.steps();
  return launch.report;
}

}  // namespace

Result<InterpretReport> interpret(const Kernel& kernel, std::span<const BoundBuffer> buffers,
                                  const LaunchShape& shape, const InterpretOptions& options) {
  try {
    return launch(kernel, buffers, shape, options);
  } catch (const std::bad_alloc&) {
    return fail(Code::out_of_memory,
                fmt::format("no memory to interpret kernel `{}`", kernel.program->name),
                "use smaller arrays or a smaller workgroup");
  }
}

}  // namespace vyre
