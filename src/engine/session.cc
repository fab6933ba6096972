#include "vyre/engine/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "vyre/base/files/paths.h"
#include "vyre/device/together.h"
#include "vyre/engine/bind_internal.h"
#include "vyre/engine/call_internal.h"
#include "vyre/engine/devices.h"
#include "vyre/engine/plan_facts.h"
#include "vyre/ir/slots.h"
#include "vyre/lower/gpu_compile.h"
#include "vyre/pipeline/ready_pipeline.h"
#include "vyre/plan/variants/declared_variant.h"
#include "vyre/plan/variants/variant_legality.h"

namespace vyre {

bool is_wide(std::span<const BoundMemory> bindings) {
  constexpr std::uint64_t kNarrowBytes = std::uint64_t{1} << 31;
  return std::ranges::any_of(bindings,
                             [](const BoundMemory& b) { return b.bytes >= kNarrowBytes; });
}

WorkLimits RunLimits::for_work() const {
  WorkLimits out{.stop = stop};
  if (deadline) out.deadline = std::chrono::steady_clock::now() + *deadline;
  return out;
}

RunLimits RunLimits::counted_from(std::chrono::steady_clock::time_point begin) const {
  RunLimits out = *this;
  if (!deadline) return out;
  const std::chrono::nanoseconds spent = std::chrono::steady_clock::now() - begin;
  out.deadline = std::max(*deadline - spent, std::chrono::nanoseconds(1));
  out.asked = asked.value_or(*deadline);
  return out;
}

void RunLimits::shorten(std::chrono::nanoseconds most) {
  if (deadline && *deadline <= most) return;
  deadline = most;
  asked.reset();
}

Result<SessionOptions> SessionOptions::from_environment() {
  SessionOptions options;
  VYRE_TRY(options.cpu, cpu_options_from_environment());
  options.code_folder = cache_folder() / "code";
  options.tuning = TuningOptions::from_environment();
  return options;
}

Result<Session> Session::open(std::string_view device, SessionOptions options) {
  VYRE_TRY(auto opened, open_device(device, options.cpu, options.code_folder));
  return open(std::move(opened), std::move(options));
}

Result<Session> Session::open(std::shared_ptr<Device> device, SessionOptions options) {
  Session session;
  VYRE_TRY(session.queue_, device->make_queue());
  session.codes_ = std::make_shared<CodeStore>(device, std::move(options.code_folder));
  session.device_ = std::move(device);
  session.costs_ = session.device_->launch_costs();
  session.on_host_ = session.costs_.in_host_memory;
  session.plan_device_ = std::make_shared<const PlanDevice>(plan_device_of(*session.device_));
  session.gangs_ = std::make_shared<DefaultGangs>();
  if (!options.tuning) return session;
  session.tuning_options_ = *std::move(options.tuning);
  session.evidence_ = open_evidence(session.tuning_options_->evidence);
  if (session.device_->runs()) {
    session.tuning_ =
        std::make_shared<Tuning>(*session.tuning_options_, session.device_, session.plan_device_,
                                 session.queue_, session.codes_, session.evidence_);
  } else if (session.tuning_options_->mode != TunerMode::cached_or_default) {
    session.tuning_options_->mode =
        TunerMode::frozen;  // a device that runs nothing cannot be timed
  }
  return session;
}

Result<Buffer> Session::buffer(std::uint64_t bytes) const {
  Buffer out;
  VYRE_TRY(out.memory_, device_->allocate(bytes));
  out.device_ = device_;
  if (out.memory_.host == nullptr && bytes != 0 && bytes <= HostCopy::kMost) {
    out.copy_ = std::make_shared<HostCopy>(bytes);
  }
  return out;
}

Result<Buffer> Session::adopt(std::span<std::byte> memory) const {
  if (!on_host_) {
    return fail(Code::invalid_input,
                fmt::format("{} does not compute in the host's memory", device_->name()),
                "make a buffer of the session and write to it");
  }
  VYRE_TRY(Buffer out, adopt(reinterpret_cast<std::uintptr_t>(memory.data()), memory.size()));
  out.memory_.host = memory.data();
  return out;
}

Result<Buffer> Session::adopt(std::uint64_t address, std::uint64_t bytes) const {
  if (address == 0 && bytes != 0) {
    return fail(Code::invalid_input, fmt::format("{} bytes at address 0 are no memory", bytes));
  }
  Buffer out;
  out.memory_ = {.address = address, .bytes = bytes, .host = nullptr, .owner = nullptr};
  out.device_ = device_;
  return out;
}

Result<BoundMemory> Session::part(const Buffer& buffer, std::uint64_t offset,
                                  std::uint64_t bytes) const {
  if (buffer.device_ != device_) {
    return fail(Code::invalid_input, "the buffer is not of this session's device");
  }
  if (offset > buffer.size() || bytes > buffer.size() - offset) {
    return fail(Code::invalid_input, fmt::format("{} bytes at byte {} of a buffer of {} bytes",
                                                 bytes, offset, buffer.size()));
  }
  return BoundMemory{buffer.address() + offset, bytes};
}

Result<void> Session::write(const Buffer& buffer, std::uint64_t offset,
                            std::span<const std::byte> bytes) const {
  VYRE_TRY(const BoundMemory to, part(buffer, offset, bytes.size()));
  if (buffer.copy_) buffer.copy_->put(offset, bytes);
  return queue_->write(to, bytes);
}

Result<void> Session::write_uniforms(const Buffer& buffer, std::span<const std::byte> bytes) const {
  if (!buffer.copy_ || bytes.size() != buffer.size()) return write(buffer, 0, bytes);
  buffer.copy_->put_all(bytes);
  return {};
}

Result<void> Session::read(const Buffer& buffer, std::uint64_t offset,
                           std::span<std::byte> bytes) const {
  VYRE_TRY(const BoundMemory from, part(buffer, offset, bytes.size()));
  return queue_->read(from, bytes);
}

Result<void> Session::clear(const Buffer& buffer) const {
  VYRE_TRY(const BoundMemory all, part(buffer, 0, buffer.size()));
  if (buffer.copy_) buffer.copy_->clear();
  return queue_->clear(all);
}

Result<void> Session::clear(const Buffer& buffer, std::uint64_t offset, std::uint64_t bytes) const {
  VYRE_TRY(const BoundMemory some, part(buffer, offset, bytes));
  if (buffer.copy_) buffer.copy_->put(offset, std::vector<std::byte>(bytes));
  return queue_->clear(some);
}

Result<void> Session::copy(const Buffer& from, std::uint64_t from_offset, const Buffer& to,
                           std::uint64_t to_offset, std::uint64_t bytes) const {
  VYRE_TRY(const BoundMemory source, part(from, from_offset, bytes));
  VYRE_TRY(const BoundMemory target, part(to, to_offset, bytes));
  if (to.copy_) to.copy_->forget();
  return queue_->copy(source, target);
}

Variant Session::default_variant(const Kernel& kernel) const {
  return declared_variant(kernel, on_host_ ? gangs_->of(kernel) : 1, *plan_device_);
}

std::string Session::why_not(const Kernel& kernel, const Variant& variant) const {
  return vyre::why_not(kernel, variant, plan_device_->kind, plan_device_->limits);
}

std::vector<std::uint32_t> Session::default_gangs(std::span<const KernelChoice> choices) const {
  std::vector<std::uint32_t> out;
  if (!on_host_) return out;
  for (const KernelChoice& choice : choices) out.push_back(gangs_->of(choice.kernel));
  return out;
}

// Compiles what it is asked about, for launches whose bindings have these needs.
CodeFactsOf Session::code_facts(const CodeNeeds& needs, const WorkLimits& limits) const {
  if (on_host_ || tuning_ == nullptr) return {};
  return [tuning = tuning_, needs, limits, kind = plan_device_->kind](
             const Kernel& kernel, const Variant& variant,
             const Extent& largest) -> Result<CodeFacts> {
    VYRE_TRY(const FoundCode found,
             tuning->maker().find_code(kernel, variant, code_options(needs, variant, largest, kind),
                                       limits));
    return found.code->facts();
  };
}

// The needs of a launch whose buffers are of these sizes.
CodeNeeds Session::needs_of(const Kernel& kernel, std::span<const BindingBytes> bindings) const {
  if (on_host_) return {};
  std::vector<Binding> stand_ins;
  for (const BindingBytes& b : bindings) {
    stand_ins.push_back(
        {.group = b.group, .binding = b.binding, .buffer = stand_in(0, b.bytes), .bytes = b.bytes});
  }
  LaunchStep step;
  choose_uniforms(kernel, stand_ins, step);
  for (const BindingBytes& b : bindings) step.bindings.push_back({0, b.bytes});
  return {.wide_offsets = is_wide(step.bindings), .by_value = step.by_value};
}

PlanMemory Session::plan_memory(const WorkLimits& limits) const {
  if (!tuning_options_) return {};
  return plan_memory_of(*tuning_options_, evidence_.get(), limits);
}

std::vector<Variant> Session::variants(const Kernel& kernel, DispatchSize size) const {
  const KernelChoice only{kernel};
  const auto gangs = default_gangs(std::span(&only, 1));
  const LaunchRequest request{.identity = to_hex(kernel.fingerprint),
                              .kernels = std::span(&only, 1),
                              .default_gangs = gangs,
                              .size = size};
  PlanMemory memory;
  memory.exact_size = true;
  std::vector<Variant> out;
  if (const auto space = plan_space(request, *plan_device_, memory)) {
    for (const LaunchCandidate& c : space->candidates) out.push_back(c.variant);
  }
  return out;
}

Result<LaunchPlan> Session::plan(const Kernel& kernel, std::span<const BindingBytes> bindings,
                                 DispatchSize size, const FixedChoices& fixed) const {
  const KernelChoice only{kernel};
  const auto gangs = default_gangs(std::span(&only, 1));
  return plan_launch({.identity = to_hex(kernel.fingerprint),
                      .kernels = std::span(&only, 1),
                      .default_gangs = gangs,
                      .bindings = bindings,
                      .size = size,
                      .fixed = fixed,
                      .code = code_facts(needs_of(kernel, bindings), {})},
                     *plan_device_, plan_memory());
}

Result<LaunchPlan> Session::plan_indirect(const Kernel& kernel,
                                          std::span<const BindingBytes> bindings) const {
  const KernelChoice only{kernel};
  const auto gangs = default_gangs(std::span(&only, 1));
  return plan_launch({.identity = to_hex(kernel.fingerprint),
                      .kernels = std::span(&only, 1),
                      .default_gangs = gangs,
                      .bindings = bindings,
                      .size = DispatchSize::workgroups({1, 1, 1}),
                      .grid_in_buffer = true},
                     *plan_device_, plan_memory());
}

// The part of a step that does not depend on the variant.
Result<LaunchStep> Session::bind(const Kernel& kernel, std::span<const Binding> bindings) const {
  LaunchStep out;
  out.device = device_;
  out.plan_device = plan_device_;
  for (const Binding& b : bindings) {
    VYRE_CHECK(part(b.buffer, 0, 0));
    out.buffers.push_back(b.buffer);
  }
  VYRE_TRY(out.bindings,
           bind_slots(*kernel.program, bindings, device_->limits().binding_alignment));
  choose_uniforms(kernel, bindings, out);
  return out;
}

Result<Dispatch> Session::prepare(const Kernel& kernel, std::span<const Binding> bindings,
                                  DispatchSize size, const FixedChoices& fixed,
                                  const RunLimits& limits) const {
  const KernelChoice only{kernel};
  return prepare_launch({.identity = to_hex(kernel.fingerprint),
                         .kernels = std::span(&only, 1),
                         .size = size,
                         .fixed = fixed},
                        bindings, limits.for_work());
}

Result<Dispatch> Session::together(Dispatch dispatch) const {
  VYRE_CHECK(check_dispatch(dispatch));
  LaunchStep& step = dispatch.step_;
  if (step.tuned != nullptr || step.groups) {
    return fail(Code::invalid_input,
                "only a launch whose variant and grid are fixed can run together",
                "prepare it with a whole variant");
  }
  const Extent& grid = step.plan.grid;
  const std::uint64_t wanted = std::uint64_t{grid[0]} * grid[1] * grid[2];
  VYRE_TRY(const Occupancy fits, device_->occupancy(*step.code, step.plan.variant.workgroup));
  if (wanted > fits.groups_at_once) {
    return too_many_together(step.plan.kernel, wanted, device_->name(), fits.groups_at_once);
  }
  step.together = true;
  return dispatch;
}

Result<Dispatch> Session::prepare(std::string_view identity, std::span<const KernelChoice> choices,
                                  std::span<const Binding> bindings, DispatchSize size,
                                  const RunLimits& limits) const {
  if (choices.empty()) return fail(Code::invalid_input, "there is no kernel to choose from");
  if (tuning_ == nullptr) {
    return fail(Code::invalid_input, "this session tunes nothing, so it cannot choose",
                "open it with tuning in its options");
  }
  return prepare_launch({.identity = std::string(identity), .kernels = choices, .size = size},
                        bindings, limits.for_work());
}

Result<Dispatch> Session::prepare(const Kernel& kernel, std::span<const Binding> bindings,
                                  const IndirectGrid& grid, const FixedChoices& fixed,
                                  const RunLimits& limits) const {
  VYRE_TRY(const BoundMemory groups, part(grid.buffer, grid.offset, kGridBytes));
  if (grid.offset % 4 != 0) {
    return fail(Code::invalid_input,
                fmt::format("the grid of '{}' is at byte {}; it must be at a multiple of 4",
                            kernel.program->name, grid.offset));
  }
  const KernelChoice only{kernel};
  VYRE_TRY(Dispatch out, prepare_launch({.identity = to_hex(kernel.fingerprint),
                                         .kernels = std::span(&only, 1),
                                         .size = DispatchSize::workgroups({1, 1, 1}),
                                         .grid_in_buffer = true,
                                         .fixed = fixed},
                                        bindings, limits.for_work(), groups));
  out.step_.buffers.push_back(grid.buffer);
  return out;
}

Result<Dispatch> Session::prepare_launch(const LaunchRequest& asked,
                                         std::span<const Binding> bindings,
                                         const WorkLimits& limits,
                                         std::optional<BoundMemory> groups) const {
  LaunchRequest request = asked;
  const auto gangs = default_gangs(request.kernels);
  request.default_gangs = gangs;
  VYRE_TRY(LaunchStep out, bind(request.kernels.front().kernel, bindings));
  out.size = request.size;
  out.groups = groups;
  const std::vector<BindingBytes> bytes = bytes_of(bindings);
  request.bindings = bytes;
  if (tuning_ == nullptr || request.fixed.any() || request.grid_in_buffer) {
    VYRE_TRY(out.plan, plan_launch(request, *plan_device_, plan_memory(limits)));
    VYRE_CHECK(compile(out, request.kernels.front().kernel, limits));
    return Dispatch(std::move(out));
  }
  const CodeNeeds needs{.wide_offsets = is_wide(out.bindings), .by_value = out.by_value};
  request.code = code_facts(needs, limits);
  VYRE_TRY(out.tuned, tuning_->kernel_for(request, needs, limits));
  out.served = std::make_shared<ServedLaunches>();
  const TunedKernel& tuned = *out.tuned;
  const TunedCandidate& first = tuned.incumbent();
  const Decided now = decided_now(tuned);
  VYRE_TRY(out.plan, lay_out(request, *plan_device_, first.choice, first.first().variant, now.by,
                             now.why, tuned.tuner.mode()));
  return Dispatch(std::move(out));
}

// The code of a dispatch whose plan is fixed.
Result<void> Session::compile(LaunchStep& out, const Kernel& kernel,
                              const WorkLimits& limits) const {
  const CodeOptions options{.wide_offsets = is_wide(out.bindings),
                            .check_at_start = out.groups || has_many_groups(out.plan.grid),
                            .by_value = out.by_value};
  VYRE_TRY(auto found, codes_->find_or_make(kernel, out.plan.variant, options, limits));
  out.code = std::move(found.code);
  out.source = found.source;
  return {};
}

Result<Dispatch> Session::prepare(const OwnKernel& kernel, std::span<const Binding> bindings,
                                  DispatchSize size) const {
  if (device_->target().kind != TargetKind::nvptx) {
    return fail(Code::invalid_input,
                fmt::format("kernel '{}' is GPU code; {} is none", kernel.name, device_->name()));
  }
  LaunchStep out;
  out.device = device_;
  out.plan_device = plan_device_;
  out.size = size;
  out.plan.kernel = kernel.name;
  out.plan.device = device_->name();
  out.plan.kind = TargetKind::nvptx;
  out.plan.by = Authority::caller;
  out.plan.variant.workgroup = out.plan.declared = kernel.workgroup;
  std::vector<const Binding*> sorted;
  for (const Binding& b : bindings) {
    VYRE_CHECK(part(b.buffer, 0, 0));
    sorted.push_back(&b);
    out.buffers.push_back(b.buffer);
    if (b.buffer.copy_) out.written.push_back(b.buffer.copy_);
  }
  std::ranges::sort(sorted, {}, [](const Binding* b) { return std::pair(b->group, b->binding); });
  for (const Binding* b : sorted) {
    VYRE_TRY(const BoundMemory memory, bound_part(*b, kernel.name));
    out.bindings.push_back(memory);
  }
  for (const GpuParameter& p : kernel.code.parameters) {
    if (p.kind == GpuParameterKind::contents) {
      return fail(
          Code::invalid_input,
          fmt::format("kernel '{}' asks for a binding's contents; give it the bytes", kernel.name),
          "declare a constant value");
    }
    const bool of_binding =
        p.kind == GpuParameterKind::address || p.kind == GpuParameterKind::bytes;
    if (of_binding && p.slot >= sorted.size()) {
      return fail(Code::invalid_input,
                  fmt::format("kernel '{}' has a parameter for binding {}; {} are given",
                              kernel.name, p.slot, sorted.size()));
    }
  }
  Extent covers{};
  for (unsigned i = 0; i < 3; ++i) {
    if (kernel.workgroup[i] == 0) {
      return fail(Code::invalid_input,
                  fmt::format("kernel '{}': the workgroup has an axis of 0", kernel.name));
    }
    covers[i] = kernel.covers[i] != 0 ? kernel.covers[i] : kernel.workgroup[i];
  }
  VYRE_TRY(out.plan.extent, extent_in(size, covers));
  VYRE_TRY(out.plan.grid, grid_for_covers(out.plan.extent, covers, *plan_device_));
  VYRE_TRY(auto found, codes_->load_own(kernel.code));
  out.code = std::move(found.code);
  out.source = found.source;
  return Dispatch(std::move(out));
}

Result<void> Session::check_dispatch(const Dispatch& d) const {
  if (d.step_.device != device_) {
    return fail(Code::invalid_input, d.step_.device == nullptr
                                         ? "the dispatch was not prepared"
                                         : "the dispatch was prepared for another device");
  }
  if (d.step_.tuned != nullptr && tuning_ == nullptr) {
    return fail(Code::invalid_input, "the dispatch was prepared by a session that tunes");
  }
  return {};
}

// Finds the uniforms that launches take by value, and the host copies that a launch makes stale.
void Session::choose_uniforms(const Kernel& kernel, std::span<const Binding> bindings,
                              LaunchStep& out) const {
  const Program& p = *kernel.program;
  const auto find = [&](const Global& g) -> const Binding* {
    const auto found = std::ranges::find_if(
        bindings, [&](const Binding& b) { return b.group == g.group && b.binding == g.binding; });
    return found == bindings.end() ? nullptr : &*found;
  };
  for (const Global& g : p.globals) {
    if (!is_written(g)) continue;
    const Binding* b = find(g);
    if (b != nullptr && b->buffer.copy_) out.written.push_back(b->buffer.copy_);
  }
  if (on_host_) return;
  const std::vector<GlobalId> slots = slots_of(p);
  for (const ByValue& v : gpu_by_value(kernel, HostCopy::kMost)) {
    const Binding* b = find(p[slots[v.slot]]);
    if (b == nullptr || !b->buffer.copy_) continue;
    out.uniforms.push_back({.slot = v.slot,
                            .bytes = v.bytes,
                            .offset = b->offset,
                            .memory = {b->buffer.address(), b->buffer.size()},
                            .copy = b->buffer.copy_});
    out.by_value.push_back(v.slot);
  }
}

CallContext Session::call_context() const {
  return {*device_, queue_, *codes_, tuning_.get(), costs_};
}

Result<void> Session::submit(const Dispatch& dispatch, const RunLimits& limits) const {
  VYRE_CHECK(check_dispatch(dispatch));
  return submit_step(call_context(), dispatch.step_, limits);
}

Result<std::chrono::nanoseconds> Session::time(const Dispatch& dispatch,
                                               std::uint32_t launches) const {
  VYRE_CHECK(check_dispatch(dispatch));
  if (launches == 0) return fail(Code::invalid_input, "no launches take no time to be measured");
  return time_step(call_context(), dispatch.step_, launches);
}

Result<void> Session::measure(const Dispatch& dispatch, const RunLimits& limits) const {
  VYRE_CHECK(check_dispatch(dispatch));
  const LaunchStep& step = dispatch.step_;
  if (step.tuned == nullptr || !step.tuned->tuner.has_attention(TunedKernel::kToSweep)) return {};
  return sweep(call_context(), step, limits);
}

void Session::wait_for_compilers() const {
  if (tuning_ != nullptr) tuning_->maker().wait_for_compilers();
}

Result<void> Session::save() const { return tuning_ == nullptr ? Result<void>() : tuning_->save(); }

Result<void> Session::run(const Dispatch& dispatch, const RunLimits& limits) const {
  VYRE_CHECK(submit(dispatch, limits));
  return queue_->wait();
}

}  // namespace vyre
