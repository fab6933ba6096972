#include <cstdlib>
#include <filesystem>
#include <string>

#include "cases.h"
#include "vyre/plan/planner.h"
#include "vyre/plan/specification/cold_start.h"
#include "vyre/plan/specification/logical_launch.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

// One program with one u32 output of 4,096 elements and a declared width of 32, on a device of
// 1024 threads.
struct Launch {
  Launch() {
    program.workgroup = {32, 1, 1};
    program.entry_nonempty = true;
    program.fingerprint = digest_of("one u32 output");
    buffers[0].name = "out";
    buffers[0].access = BufferAccess::write_only;
    buffers[0].count = 4096;
    bindings = *plan_bindings(buffers);
    adapter.decisions = std::filesystem::temp_directory_path() / "vyre-no-such-folder" / "none";
    overridden.workgroup_override = Extent{256, 1, 1};
  }

  ProgramFacts program;
  std::vector<BufferDecl> buffers{1};
  BindingPlan bindings;
  Adapter adapter = make_adapter({"cuda", 1024, {1024, 1024, 64}, {2147483647, 65535, 65535}});
  DispatchConfig plain;
  DispatchConfig overridden;
  LaunchFeedback feedback;
  LogicalLaunch plan;
};

Launch& launch() {
  static Launch it;
  return it;
}

PlanResult<void> prepare_once(LogicalLaunch& plan, const DispatchConfig& config) {
  Launch& l = launch();
  return prepare(plan, {l.program, l.bindings.bindings, config, l.adapter}, mode_from_environment(),
                 l.feedback);
}

bool plan_is(const Extent& workgroup, const Extent& grid) {
  const LogicalLaunch& plan = launch().plan;
  return plan.workgroup == workgroup && plan.grid == grid && plan.element_count == 4096 &&
         plan.param_words == std::vector<std::uint32_t>{4096, 4096};
}

bool prepare_overridden() {
  ::unsetenv(kModeVariable);
  return prepare_once(launch().plan, launch().overridden) && plan_is({256, 1, 1}, {16, 1, 1});
}
void run_overridden(std::uint64_t calls) {
  Launch& l = launch();
  for (std::uint64_t i = 0; i < calls; ++i) keep(prepare_once(l.plan, l.overridden));
}

bool prepare_natural() {
  ::setenv(kModeVariable, "natural", 1);
  return prepare_once(launch().plan, launch().plain) && plan_is({1024, 1, 1}, {4, 1, 1});
}
void run_natural(std::uint64_t calls) {
  Launch& l = launch();
  for (std::uint64_t i = 0; i < calls; ++i) keep(prepare_once(l.plan, l.plain));
}

void run_fresh_plan(std::uint64_t calls) {
  Launch& l = launch();
  for (std::uint64_t i = 0; i < calls; ++i) {
    LogicalLaunch plan;
    keep(prepare_once(plan, l.plain));
    keep(plan);
  }
}

void run_cold_start(std::uint64_t calls) {
  Launch& l = launch();
  for (std::uint64_t i = 0; i < calls; ++i) {
    l.feedback.forget_memory();
    keep(prepare_once(l.plan, l.plain));
  }
}

bool prepare_resolve() {
  Launch& l = launch();
  return l.feedback.resolve(l.program, l.adapter, 4096).workgroup == Extent{1024, 1, 1};
}
void run_resolve(std::uint64_t calls) {
  Launch& l = launch();
  for (std::uint64_t i = 0; i < calls; ++i) keep(l.feedback.resolve(l.program, l.adapter, 4096));
}

bool prepare_selection() {
  Launch& l = launch();
  return select_workgroup(l.program.workgroup, 4096, l.adapter.limits, {}) == Extent{1024, 1, 1};
}
void run_selection(std::uint64_t calls) {
  Launch& l = launch();
  for (std::uint64_t i = 0; i < calls; ++i)
    keep(select_workgroup(l.program.workgroup, 4096, l.adapter.limits, {}));
}

bool prepare_bindings() {
  const auto plan = plan_bindings(launch().buffers);
  return plan && plan->bindings.size() == 1 && plan->bindings[0].static_byte_length == 16'384 &&
         plan->outputs.size() == 1;
}
void run_bindings(std::uint64_t calls) {
  for (std::uint64_t i = 0; i < calls; ++i) keep(plan_bindings(launch().buffers));
}
void run_bindings_again(std::uint64_t calls) {
  Launch& l = launch();
  for (std::uint64_t i = 0; i < calls; ++i) keep(plan_bindings(l.bindings, l.buffers));
}

// What Session::prepare asks for a launch of which nothing is known: all candidates and the model.
struct FirstLaunch {
  FirstLaunch() {
    const ParsedModule parsed = parse_wgsl(R"(
@group(0) @binding(0) var<uniform> a: f32;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn saxpy(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&y)) { y[id.x] = a * x[id.x] + y[id.x]; }
})");
    kernels.push_back({*make_kernel(*parsed.module->find("saxpy"))});
    device.name = "cpu";
    device.limits = {.backend = "cpu",
                     .max_threads_per_block = 1024,
                     .max_block_dim = {1024, 1024, 64},
                     .max_grid_dim = {UINT32_MAX, UINT32_MAX, UINT32_MAX}};
    device.profile.multiprocessors = 8;
    device.profile.warp_size = device.vector_width = 16;
    request = {.identity = to_hex(kernels.front().kernel.fingerprint),
               .kernels = kernels,
               .default_gangs = gangs,
               .bindings = bindings,
               .size = DispatchSize::extent({1'000'000, 1, 1})};
  }

  std::vector<KernelChoice> kernels;
  std::vector<std::uint32_t> gangs{16};
  std::vector<BindingBytes> bindings{{0, 0, 4}, {0, 1, 4'000'000}, {0, 2, 4'000'000}};
  PlanDevice device;
  PlanMemory memory{.mode = TunerMode::frozen};
  LaunchRequest request;
};

const FirstLaunch& first_launch() {
  static const FirstLaunch it;
  return it;
}

bool prepare_plan_launch() {
  const FirstLaunch& l = first_launch();
  const auto plan = plan_launch(l.request, l.device, l.memory);
  return plan && plan->by == Authority::declared && plan->variant.workgroup == Extent{64, 1, 1} &&
         plan->grid == Extent{15'625, 1, 1} && plan->bindings.size() == 3;
}
void run_plan_launch(std::uint64_t calls) {
  const FirstLaunch& l = first_launch();
  for (std::uint64_t i = 0; i < calls; ++i) keep(plan_launch(l.request, l.device, l.memory));
}

constexpr DecisionCase kCases[] = {
    {"launch plan, override", 1'068, prepare_overridden, run_overridden},
    {"launch plan, natural mode", 1'510, prepare_natural, run_natural},
    {"launch plan, fresh storage", std::nullopt, prepare_natural, run_fresh_plan},
    {"launch plan, cold start", std::nullopt, prepare_natural, run_cold_start},
    {"resolve, known", std::nullopt, prepare_resolve, run_resolve},
    {"cold-start selection", std::nullopt, prepare_selection, run_selection},
    {"plan_launch, nothing known", std::nullopt, prepare_plan_launch, run_plan_launch},
    {"binding plan", 1'913, prepare_bindings, run_bindings},
    {"binding plan, storage reused", 1'913, prepare_bindings, run_bindings_again},
};

}  // namespace

std::span<const DecisionCase> plan_cases() { return kCases; }

}  // namespace vyre
