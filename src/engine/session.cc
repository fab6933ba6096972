#include "vyre/engine/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "vyre/base/arithmetic.h"
#include "vyre/base/paths.h"
#include "vyre/engine/bind_internal.h"
#include "vyre/engine/devices.h"
#include "vyre/lower/gpu_compile.h"
#include "vyre/lower/host_compile.h"

namespace vyre {
namespace {

constexpr std::uint64_t kNarrowBytes = std::uint64_t{1} << 31;

Result<void> set_size(const Kernel& kernel, const Variant& variant, const Device& device,
                      DispatchSize size, Extent& extent, Extent& grid) {
  const Extent& declared = kernel.program->workgroup;
  for (unsigned i = 0; i < 3; ++i) {
    const std::uint64_t lanes =
        size.in_workgroups ? std::uint64_t{size.value[i]} * declared[i] : size.value[i];
    if (lanes > 0xFFFFFFFFU) {
      return fail(Code::limit,
                  fmt::format("axis {} has {} invocations; the most is {}", i, lanes, 0xFFFFFFFFU));
    }
    extent[i] = static_cast<std::uint32_t>(lanes);
    // On a GPU a workgroup covers all items of its lanes; on the CPU gangs take them as they come.
    std::uint64_t covered = variant.workgroup[i];
    if (i == 0 && device.target().kind == TargetKind::nvptx) covered *= variant.items_per_lane;
    const std::uint64_t groups = ceil_div<std::uint64_t>(lanes, covered);
    if (groups > device.limits().max_grid_dim[i]) {
      return fail(Code::limit,
                  fmt::format("axis {} has {} workgroups; {} allows {}", i, groups, device.name(),
                              device.limits().max_grid_dim[i]),
                  "use a larger workgroup, or put the long axis first");
    }
    grid[i] = static_cast<std::uint32_t>(groups);
  }
  return {};
}

}  // namespace

Result<SessionOptions> SessionOptions::from_environment() {
  SessionOptions options;
  VYRE_TRY(options.cpu, cpu_options_from_environment());
  options.code_folder = cache_folder() / "code";
  return options;
}

Result<Session> Session::open(std::string_view device, SessionOptions options) {
  VYRE_TRY(auto opened, open_device(device, options.cpu));
  return open(std::move(opened), std::move(options));
}

Result<Session> Session::open(std::shared_ptr<Device> device, SessionOptions options) {
  Session session;
  VYRE_TRY(session.queue_, device->make_queue());
  session.codes_ = std::make_shared<CodeStore>(device, std::move(options.code_folder));
  session.device_ = std::move(device);
  return session;
}

Result<Buffer> Session::buffer(std::uint64_t bytes) const {
  Buffer out;
  VYRE_TRY(out.memory_, device_->allocate(bytes));
  out.device_ = device_;
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
  return queue_->write(to, bytes);
}

Result<void> Session::read(const Buffer& buffer, std::uint64_t offset,
                           std::span<std::byte> bytes) const {
  VYRE_TRY(const BoundMemory from, part(buffer, offset, bytes.size()));
  return queue_->read(from, bytes);
}

Result<void> Session::clear(const Buffer& buffer) const {
  VYRE_TRY(const BoundMemory all, part(buffer, 0, buffer.size()));
  return queue_->clear(all);
}

Result<void> Session::copy(const Buffer& from, std::uint64_t from_offset, const Buffer& to,
                           std::uint64_t to_offset, std::uint64_t bytes) const {
  VYRE_TRY(const BoundMemory source, part(from, from_offset, bytes));
  VYRE_TRY(const BoundMemory target, part(to, to_offset, bytes));
  return queue_->copy(source, target);
}

Variant Session::default_variant(const Kernel& kernel) const {
  return device_->target().kind == TargetKind::host
             ? host_default_variant(kernel)
             : gpu_default_variant(kernel, device_->limits());
}

std::string Session::why_not(const Kernel& kernel, const Variant& variant) const {
  return device_->target().kind == TargetKind::host
             ? host_why_not(kernel, variant)
             : gpu_why_not(kernel, variant, device_->limits());
}

Result<Dispatch> Session::prepare(const Kernel& kernel, std::span<const Binding> bindings,
                                  DispatchSize size, std::optional<Variant> variant) const {
  Dispatch out;
  out.device_ = device_;
  out.kernel_ = kernel.program->name;
  out.variant_ = variant ? *variant : default_variant(kernel);
  if (const std::string why = why_not(kernel, out.variant_); !why.empty()) {
    return fail(Code::invalid_input, fmt::format("kernel '{}' cannot run as {}: {}", out.kernel_,
                                                 to_string(out.variant_), why));
  }
  for (const Binding& b : bindings) {
    VYRE_CHECK(part(b.buffer, 0, 0));
    out.buffers_.push_back(b.buffer);
  }
  VYRE_TRY(out.bindings_,
           bind_slots(*kernel.program, bindings, device_->limits().binding_alignment));
  VYRE_CHECK(set_size(kernel, out.variant_, *device_, size, out.extent_, out.grid_));
  const bool wide = std::ranges::any_of(
      out.bindings_, [](const BoundMemory& b) { return b.bytes >= kNarrowBytes; });
  VYRE_TRY(auto found, codes_->find_or_make(kernel, out.variant_, wide));
  out.code_ = std::move(found.code);
  out.source_ = found.source;
  return out;
}

Result<void> Session::submit(const Dispatch& d, const RunLimits& limits) const {
  if (d.device_ != device_) {
    return fail(Code::invalid_input, d.device_ == nullptr
                                         ? "the dispatch was not prepared"
                                         : "the dispatch was prepared for another device");
  }
  Launch launch;
  launch.code = d.code_.get();
  launch.kernel = d.kernel_;
  launch.bindings = d.bindings_;
  launch.grid = d.grid_;
  launch.extent = d.extent_;
  launch.workgroup = d.variant_.workgroup;
  launch.groups_per_task = d.variant_.groups_per_task > 1 ? d.variant_.groups_per_task : 0;
  launch.deadline = limits.deadline;
  launch.stop = limits.stop;
  return queue_->launch(launch);
}

Result<void> Session::run(const Dispatch& dispatch, const RunLimits& limits) const {
  VYRE_CHECK(submit(dispatch, limits));
  return queue_->wait();
}

}  // namespace vyre
