#include "vyre/engine/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "vyre/base/arithmetic.h"
#include "vyre/base/paths.h"
#include "vyre/lower/host_compile.h"

namespace vyre {
namespace {

constexpr std::uint64_t kNarrowBytes = std::uint64_t{1} << 31;

// Bytes below which a binding cannot hold the type: its static part and one element.
std::uint64_t least_bytes(const TypeTable& types, TypeId type) {
  const std::uint64_t fixed = types.layout(type).size;
  if (const auto* a = types.get_if<ArrayType>(type)) {
    return a->count == 0 ? types.stride(a->element) : fixed;
  }
  if (const auto* s = types.get_if<StructType>(type); s != nullptr && !s->members.empty()) {
    const Member& last = s->members.back();
    if (types.contains_runtime_array(last.type)) {
      return last.offset + least_bytes(types, last.type);
    }
  }
  return fixed;
}

bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::less<>()(a.data(), b.data() + b.size()) &&
         std::less<>()(b.data(), a.data() + a.size());
}

Result<std::vector<HostBinding>> bind(const Program& p, std::span<const Binding> given) {
  std::vector<const Global*> slots;
  for (const Global& g : p.globals) {
    if (g.memory == MemoryKind::storage || g.memory == MemoryKind::uniform) slots.push_back(&g);
  }
  std::ranges::sort(slots, {}, [](const Global* g) { return std::pair(g->group, g->binding); });
  std::vector<const Binding*> chosen;
  for (const Global* g : slots) {
    const Binding* found = nullptr;
    for (const Binding& b : given) {
      if (b.group != g->group || b.binding != g->binding) continue;
      if (found != nullptr) {
        return fail(Code::invalid_input, fmt::format("'{}' (group {}, binding {}) is bound twice",
                                                     g->name, g->group, g->binding));
      }
      found = &b;
    }
    if (found == nullptr) {
      return fail(Code::invalid_input, fmt::format("'{}' (group {}, binding {}) is not bound",
                                                   g->name, g->group, g->binding));
    }
    const std::uint64_t least = least_bytes(p.types, g->type);
    if (found->bytes.size() < least) {
      return fail(Code::invalid_input,
                  fmt::format("'{}' is bound to {} bytes; {} needs {}", g->name,
                              found->bytes.size(), p.types.spell(g->type), least));
    }
    if (reinterpret_cast<std::uintptr_t>(found->bytes.data()) % 4 != 0) {
      return fail(Code::invalid_input,
                  fmt::format("'{}' is bound at an address that is not a multiple of 4", g->name));
    }
    chosen.push_back(found);
  }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool written = slots[i]->access != Access::read || slots[j]->access != Access::read;
      if (written && overlap(chosen[i]->bytes, chosen[j]->bytes)) {
        return fail(Code::invalid_input,
                    fmt::format("'{}' and '{}' are bound to the same memory, and one is written",
                                slots[j]->name, slots[i]->name));
      }
    }
  }
  std::vector<HostBinding> out;
  for (const Binding* b : chosen) out.push_back({b->bytes.data(), b->bytes.size()});
  return out;
}

}  // namespace

Result<SessionOptions> SessionOptions::from_environment() {
  SessionOptions options;
  VYRE_TRY(options.cpu, cpu_options_from_environment());
  options.code_folder = cache_folder() / "code";
  return options;
}

Result<Session> Session::open(std::string_view device, SessionOptions options) {
  if (device != "cpu" && device != "auto") {
    return fail(Code::unavailable, fmt::format("there is no device '{}'", device), "use cpu");
  }
  Session session;
  session.cpu_ = std::make_shared<CpuDevice>(options.cpu);
  session.codes_ = std::make_shared<CodeStore>(std::move(options.code_folder));
  return session;
}

Result<Buffer> Session::buffer(std::uint64_t bytes) const {
  Buffer out;
  const std::uint64_t room = std::max<std::uint64_t>(bytes, 1);
  auto* data = static_cast<std::byte*>(::operator new[](room, std::align_val_t{64}, std::nothrow));
  if (data == nullptr) {
    return fail(Code::out_of_memory, fmt::format("no memory for a buffer of {} bytes", bytes));
  }
  std::fill_n(data, room, std::byte{0});
  out.data_ = std::shared_ptr<std::byte[]>(
      data, [](std::byte* p) { ::operator delete[](p, std::align_val_t{64}); });
  out.size_ = bytes;
  return out;
}

Variant default_variant(const Kernel& kernel) {
  Variant v;
  v.workgroup = kernel.program->workgroup;
  v.gang_width = std::max(8U, host_vector_width());
  const bool rows_are_long = kernel.stats.barriers == 0 && kernel.stats.workgroup_bytes == 0;
  while (!rows_are_long && v.gang_width > v.workgroup[0]) {
    v.gang_width = v.gang_width > 8 ? v.gang_width / 2 : 1;
  }
  return v;
}

Result<Dispatch> Session::prepare(const Kernel& kernel, std::span<const Binding> bindings,
                                  DispatchSize size, std::optional<Variant> variant) const {
  Dispatch out;
  out.kernel_ = kernel.program->name;
  out.variant_ = variant ? *variant : default_variant(kernel);
  VYRE_TRY(out.bindings_, bind(*kernel.program, bindings));
  const Extent& declared = kernel.program->workgroup;
  for (unsigned i = 0; i < 3; ++i) {
    const std::uint64_t extent =
        size.in_workgroups ? std::uint64_t{size.value[i]} * declared[i] : size.value[i];
    if (extent > 0xFFFFFFFFU) {
      return fail(Code::limit, fmt::format("axis {} has {} invocations; the most is {}", i, extent,
                                           0xFFFFFFFFU));
    }
    out.extent_[i] = static_cast<std::uint32_t>(extent);
    out.grid_[i] = ceil_div(out.extent_[i], out.variant_.workgroup[i]);
  }
  const bool wide = std::ranges::any_of(
      out.bindings_, [](const HostBinding& b) { return b.bytes >= kNarrowBytes; });
  VYRE_TRY(auto found, codes_->host_code(kernel, out.variant_, wide));
  out.code_ = std::move(found.code);
  out.source_ = found.source;
  return out;
}

Result<void> Session::run(const Dispatch& d, const RunLimits& limits) const {
  CpuLaunch launch;
  launch.code = d.code_.get();
  launch.kernel = d.kernel_;
  launch.bindings = d.bindings_;
  launch.grid = d.grid_;
  launch.extent = d.extent_;
  launch.workgroup = d.variant_.workgroup;
  launch.groups_per_task = d.variant_.groups_per_task > 1 ? d.variant_.groups_per_task : 0;
  launch.deadline = limits.deadline;
  launch.stop = limits.stop;
  return cpu_->launch(launch);
}

}  // namespace vyre
