#include <fmt/format.h>

#include <algorithm>

#include "vyre/engine/bind_internal.h"
#include "vyre/ir/buffer_layout.h"
#include "vyre/ir/slots.h"

namespace vyre {
namespace {

bool overlap(const BoundMemory& a, const BoundMemory& b) {
  return a.address < b.address + b.bytes && b.address < a.address + a.bytes;
}

}  // namespace

Result<BoundMemory> bound_part(const Binding& b, std::string_view name) {
  const std::uint64_t size = b.buffer.size();
  if (b.offset > size) {
    return fail(Code::invalid_input, fmt::format("'{}' is bound at byte {} of a buffer of {} bytes",
                                                 name, b.offset, size));
  }
  const std::uint64_t bytes = b.bytes.value_or(size - b.offset);
  if (bytes > size - b.offset) {
    return fail(Code::invalid_input,
                fmt::format("'{}' is bound to {} bytes at byte {} of a buffer of {} bytes", name,
                            bytes, b.offset, size));
  }
  return BoundMemory{b.buffer.address() + b.offset, bytes};
}

Result<std::vector<BoundMemory>> bind_slots(const Program& p, std::span<const Binding> given,
                                            std::uint64_t alignment) {
  std::vector<const Global*> slots;
  for (const GlobalId id : slots_of(p)) slots.push_back(&p[id]);
  std::vector<BoundMemory> chosen;
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
    VYRE_TRY(const BoundMemory memory, bound_part(*found, g->name));
    const std::uint64_t least = buffer_layout(p.types, g->type).least_bytes();
    if (memory.bytes < least) {
      return fail(Code::invalid_input,
                  fmt::format("'{}' is bound to {} bytes; {} needs {}", g->name, memory.bytes,
                              p.types.spell(g->type), least));
    }
    if (memory.address % alignment != 0) {
      return fail(Code::invalid_input,
                  fmt::format("'{}' is bound at byte {}, where its address is not a multiple of {}",
                              g->name, found->offset, alignment));
    }
    chosen.push_back(memory);
  }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool written = is_written(*slots[i]) || is_written(*slots[j]);
      if (written && overlap(chosen[i], chosen[j])) {
        return fail(Code::invalid_input,
                    fmt::format("'{}' and '{}' are bound to the same memory, and one is written",
                                slots[j]->name, slots[i]->name));
      }
    }
  }
  return chosen;
}

}  // namespace vyre
