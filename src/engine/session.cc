#include "vyre/engine/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "vyre/base/arithmetic.h"
#include "vyre/base/paths.h"
#include "vyre/engine/bind_internal.h"
#include "vyre/engine/calls_internal.h"
#include "vyre/engine/devices.h"
#include "vyre/engine/usual_variant_internal.h"
#include "vyre/ir/slots.h"
#include "vyre/lower/gpu_compile.h"
#include "vyre/lower/host_compile.h"
#include "vyre/tune/space.h"

namespace vyre {
namespace {

constexpr std::uint64_t kNarrowBytes = std::uint64_t{1} << 31;
constexpr std::uint64_t kManyGroups = std::uint64_t{1} << 24;

struct Size {
  Extent extent{}, grid{};
};

// `declared` is what WebGPU's workgroups count in, `covers` the invocations of one that is
// launched.
Result<Size> size_of(DispatchSize size, const Extent& declared, const std::uint64_t (&covers)[3],
                     const Device& device) {
  Size out;
  for (unsigned i = 0; i < 3; ++i) {
    const std::uint64_t lanes =
        size.in_workgroups ? std::uint64_t{size.value[i]} * declared[i] : size.value[i];
    // GPU code counts to the end of its last tile in 32 bits.
    const std::uint32_t most =
        device.target().kind == TargetKind::nvptx ? 0xFFFF0000U : 0xFFFFFFFFU;
    if (lanes > most) {
      return fail(Code::limit,
                  fmt::format("axis {} has {} invocations; the most is {}", i, lanes, most));
    }
    const std::uint64_t groups = ceil_div<std::uint64_t>(lanes, covers[i]);
    if (groups > device.limits().max_grid_dim[i]) {
      return fail(Code::limit,
                  fmt::format("axis {} has {} workgroups; {} allows {}", i, groups, device.name(),
                              device.limits().max_grid_dim[i]),
                  "use a larger workgroup, or put the long axis first");
    }
    out.extent[i] = static_cast<std::uint32_t>(lanes);
    out.grid[i] = static_cast<std::uint32_t>(groups);
  }
  return out;
}

bool is_wide(std::span<const BoundMemory> bindings) {
  return std::ranges::any_of(bindings,
                             [](const BoundMemory& b) { return b.bytes >= kNarrowBytes; });
}

}  // namespace

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
  session.on_host_ = session.device_->target().kind == TargetKind::host;
  // What runs nothing cannot be timed.
  if (options.tuning && session.device_->name() != "null") {
    session.tuning_ = std::make_shared<Tuning>(*std::move(options.tuning), session.device_,
                                               session.queue_, session.codes_);
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
  if (device_->target().kind != TargetKind::host) {
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

Result<void> Session::copy(const Buffer& from, std::uint64_t from_offset, const Buffer& to,
                           std::uint64_t to_offset, std::uint64_t bytes) const {
  VYRE_TRY(const BoundMemory source, part(from, from_offset, bytes));
  VYRE_TRY(const BoundMemory target, part(to, to_offset, bytes));
  if (to.copy_) to.copy_->forget();
  return queue_->copy(source, target);
}

Variant Session::default_variant(const Kernel& kernel) const {
  if (device_->target().kind != TargetKind::host) {
    return gpu_default_variant(kernel, device_->limits());
  }
  return usual_host_variant(kernel, device_->limits(), host_why_not);
}

std::string Session::why_not(const Kernel& kernel, const Variant& variant) const {
  return device_->target().kind == TargetKind::host
             ? host_why_not(kernel, variant)
             : gpu_why_not(kernel, variant, device_->limits());
}

std::vector<Variant> Session::variants(const Kernel& kernel, DispatchSize size) const {
  SpaceRequest request;
  request.kind = device_->target().kind;
  request.usual = default_variant(kernel);
  request.declared = kernel.program->workgroup;
  for (unsigned i = 0; i < 3; ++i) {
    request.extent[i] = size.value[i] * (size.in_workgroups ? request.declared[i] : 1);
  }
  request.shape_is_fixed = size.in_workgroups;
  request.limits = device_->limits();
  request.why_not = [&](const Variant& v) { return why_not(kernel, v); };
  return variant_space(request);
}

// All that does not depend on the variant.
Result<Dispatch> Session::bind(const Kernel& kernel, std::span<const Binding> bindings) const {
  Dispatch out;
  out.device_ = device_;
  out.kernel_ = kernel.program->name;
  for (const Binding& b : bindings) {
    VYRE_CHECK(part(b.buffer, 0, 0));
    out.buffers_.push_back(b.buffer);
  }
  VYRE_TRY(out.bindings_,
           bind_slots(*kernel.program, bindings, device_->limits().binding_alignment));
  choose_uniforms(kernel, bindings, out);
  return out;
}

Result<Dispatch> Session::prepare(const Kernel& kernel, std::span<const Binding> bindings,
                                  DispatchSize size, std::optional<Variant> variant) const {
  if (!variant && tuning_ != nullptr) {
    const KernelChoice only{kernel};
    return prepare(to_hex(kernel.fingerprint), std::span(&only, 1), bindings, size);
  }
  const Variant chosen = variant ? *std::move(variant) : default_variant(kernel);
  if (const std::string why = why_not(kernel, chosen); !why.empty()) {
    return fail(Code::invalid_input, fmt::format("kernel '{}' cannot run as {}: {}",
                                                 kernel.program->name, to_string(chosen), why));
  }
  VYRE_TRY(Dispatch out, bind(kernel, bindings));
  out.variant_ = chosen;
  const Extent lanes = covered_by(chosen, device_->target().kind);
  const std::uint64_t covers[3] = {lanes[0], lanes[1], lanes[2]};
  VYRE_TRY(const Size sizes, size_of(size, kernel.program->workgroup, covers, *device_));
  out.extent_ = sizes.extent;
  out.grid_ = sizes.grid;
  const std::uint64_t rows = std::uint64_t{out.grid_[1]} * out.grid_[2];
  CodeOptions options{.wide_offsets = is_wide(out.bindings_),
                      .check_at_start = rows != 0 && out.grid_[0] > kManyGroups / rows};
  for (const Dispatch::Uniform& u : out.uniforms_) options.by_value.push_back(u.slot);
  VYRE_TRY(auto found, codes_->find_or_make(kernel, out.variant_, options));
  out.code_ = std::move(found.code);
  out.source_ = found.source;
  return out;
}

Result<Dispatch> Session::prepare(std::string_view identity, std::span<const KernelChoice> choices,
                                  std::span<const Binding> bindings, DispatchSize size) const {
  if (choices.empty()) return fail(Code::invalid_input, "there is no kernel to choose from");
  if (tuning_ == nullptr) {
    return fail(Code::invalid_input, "this session tunes nothing, so it cannot choose",
                "open it with tuning in its options");
  }
  const Extent& declared = choices.front().kernel.program->workgroup;
  for (const KernelChoice& c : choices) {
    if (size.in_workgroups && c.kernel.program->workgroup != declared) {
      return fail(Code::invalid_input,
                  "the overrides change the workgroup, so that a number of workgroups is no size",
                  "give the size in invocations");
    }
  }
  VYRE_TRY(Dispatch out, bind(choices.front().kernel, bindings));
  const std::uint64_t covers[3] = {declared[0], declared[1], declared[2]};
  VYRE_TRY(const Size sizes, size_of(size, declared, covers, *device_));
  out.extent_ = sizes.extent;
  TunedRequest request;
  request.identity = identity;
  request.choices = choices;
  request.extent = out.extent_;
  request.in_workgroups = size.in_workgroups;
  request.wide_offsets = is_wide(out.bindings_);
  for (const Dispatch::Uniform& u : out.uniforms_) request.by_value.push_back(u.slot);
  for (const BoundMemory& b : out.bindings_) request.bound_bytes += static_cast<double>(b.bytes);
  VYRE_TRY(out.tuned_, tuning_->kernel_for(
                           request, [&](const Kernel& k) { return default_variant(k); },
                           [&](const Kernel& k, const Variant& v) { return why_not(k, v); }));
  out.served_ = std::make_shared<ServedLaunches>();
  return out;
}

Result<Dispatch> Session::prepare(const OwnKernel& kernel, std::span<const Binding> bindings,
                                  DispatchSize size) const {
  if (device_->target().kind != TargetKind::nvptx) {
    return fail(Code::invalid_input,
                fmt::format("kernel '{}' is GPU code; {} is none", kernel.name, device_->name()));
  }
  Dispatch out;
  out.device_ = device_;
  out.kernel_ = kernel.name;
  out.variant_.workgroup = kernel.workgroup;
  std::vector<const Binding*> sorted;
  for (const Binding& b : bindings) {
    VYRE_CHECK(part(b.buffer, 0, 0));
    sorted.push_back(&b);
    out.buffers_.push_back(b.buffer);
    if (b.buffer.copy_) out.written_.push_back(b.buffer.copy_);
  }
  std::ranges::sort(sorted, {}, [](const Binding* b) { return std::pair(b->group, b->binding); });
  for (const Binding* b : sorted) {
    VYRE_TRY(const BoundMemory memory, bound_part(*b, kernel.name));
    out.bindings_.push_back(memory);
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
  std::uint64_t covers[3] = {};
  for (unsigned i = 0; i < 3; ++i) {
    if (kernel.workgroup[i] == 0) {
      return fail(Code::invalid_input,
                  fmt::format("kernel '{}': the workgroup has an axis of 0", kernel.name));
    }
    covers[i] = kernel.covers[i] != 0 ? kernel.covers[i] : kernel.workgroup[i];
  }
  const Extent counted{static_cast<std::uint32_t>(covers[0]), static_cast<std::uint32_t>(covers[1]),
                       static_cast<std::uint32_t>(covers[2])};
  VYRE_TRY(const Size sizes, size_of(size, counted, covers, *device_));
  out.extent_ = sizes.extent;
  out.grid_ = sizes.grid;
  VYRE_TRY(auto found, codes_->load_own(kernel.code));
  out.code_ = std::move(found.code);
  out.source_ = found.source;
  return out;
}

Result<void> Session::check_dispatch(const Dispatch& d) const {
  if (d.device_ != device_) {
    return fail(Code::invalid_input, d.device_ == nullptr
                                         ? "the dispatch was not prepared"
                                         : "the dispatch was prepared for another device");
  }
  if (d.tuned_ != nullptr && tuning_ == nullptr) {
    return fail(Code::invalid_input, "the dispatch was prepared by a session that tunes");
  }
  return {};
}

// Which buffers' values go with each launch, and of which the host knows nothing after one.
void Session::choose_uniforms(const Kernel& kernel, std::span<const Binding> bindings,
                              Dispatch& out) const {
  const Program& p = *kernel.program;
  const auto find = [&](const Global& g) -> const Binding* {
    const auto found = std::ranges::find_if(
        bindings, [&](const Binding& b) { return b.group == g.group && b.binding == g.binding; });
    return found == bindings.end() ? nullptr : &*found;
  };
  for (const Global& g : p.globals) {
    if (g.memory != MemoryKind::storage || g.access == Access::read) continue;
    const Binding* b = find(g);
    if (b != nullptr && b->buffer.copy_) out.written_.push_back(b->buffer.copy_);
  }
  if (device_->target().kind == TargetKind::host) return;
  const std::vector<GlobalId> slots = slots_of(p);
  for (const ByValue& v : gpu_by_value(kernel, HostCopy::kMost)) {
    const Binding* b = find(p[slots[v.slot]]);
    if (b == nullptr || !b->buffer.copy_) continue;
    out.uniforms_.push_back(
        {.slot = v.slot, .bytes = v.bytes, .offset = b->offset, .buffer = b->buffer});
  }
}

Calls Session::calls() const { return {device_, queue_, codes_, tuning_, on_host_}; }

Result<void> Session::submit(const Dispatch& dispatch, const RunLimits& limits) const {
  VYRE_CHECK(check_dispatch(dispatch));
  return calls().submit(dispatch, limits);
}

Result<std::chrono::nanoseconds> Session::time(const Dispatch& dispatch,
                                               std::uint32_t launches) const {
  VYRE_CHECK(check_dispatch(dispatch));
  if (launches == 0) return fail(Code::invalid_input, "no launches take no time to be measured");
  return calls().time(dispatch, launches);
}

void Session::wait_for_compilers() const {
  if (tuning_ != nullptr) tuning_->wait_for_compilers();
}

Result<void> Session::run(const Dispatch& dispatch, const RunLimits& limits) const {
  VYRE_CHECK(submit(dispatch, limits));
  return queue_->wait();
}

}  // namespace vyre
