#include "vyre/ir/interpret/interpret_bind.h"

#include <fmt/format.h>

#include "vyre/ir/buffer_layout.h"

namespace vyre {
namespace {

bool is_buffer(const Global& global) {
  return global.memory == MemoryKind::storage || global.memory == MemoryKind::uniform;
}

std::string describe(const Global& global) {
  return fmt::format("`{}` (group {}, binding {})", global.name, global.group, global.binding);
}

bool overlap(const GlobalBytes& a, const GlobalBytes& b) {
  const auto a_first = reinterpret_cast<std::uintptr_t>(a.data);
  const auto b_first = reinterpret_cast<std::uintptr_t>(b.data);
  return a.size != 0 && b.size != 0 && a_first < b_first + b.size && b_first < a_first + a.size;
}

Result<void> refuse_shared_writes(const Program& program, std::span<const GlobalBytes> bound) {
  for (std::size_t i = 0; i < bound.size(); ++i) {
    for (std::size_t k = i + 1; k < bound.size(); ++k) {
      const Global &a = program.globals[i], &b = program.globals[k];
      const bool writes = a.access != Access::read || b.access != Access::read;
      if (!writes || !overlap(bound[i], bound[k])) continue;
      return fail(Code::invalid_input,
                  fmt::format("kernel `{}`: {} and {} share memory, and one of them may be written",
                              program.name, describe(a), describe(b)),
                  "bind separate memory to each");
    }
  }
  return {};
}

}  // namespace

Result<std::vector<GlobalBytes>> bind_buffers(const Program& program,
                                              std::span<const BoundBuffer> buffers) {
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    for (std::size_t k = i + 1; k < buffers.size(); ++k) {
      if (buffers[i].group != buffers[k].group || buffers[i].binding != buffers[k].binding)
        continue;
      return fail(Code::invalid_input,
                  fmt::format("kernel `{}`: group {}, binding {} is given twice", program.name,
                              buffers[i].group, buffers[i].binding),
                  "bind each buffer once");
    }
  }
  std::vector<GlobalBytes> out(program.globals.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Global& global = program.globals[i];
    if (!is_buffer(global)) continue;
    const BoundBuffer* bound = nullptr;
    for (const BoundBuffer& buffer : buffers) {
      if (buffer.group == global.group && buffer.binding == global.binding) bound = &buffer;
    }
    if (bound == nullptr) {
      return fail(
          Code::invalid_input,
          fmt::format("kernel `{}`: nothing is bound to {}", program.name, describe(global)),
          fmt::format("bind a buffer to {}", global.name));
    }
    const std::uint64_t smallest = buffer_layout(program.types, global.type).least_bytes();
    if (bound->bytes.size() < smallest) {
      return fail(Code::invalid_input,
                  fmt::format("kernel `{}`: {} has {} bytes; {} takes at least {}", program.name,
                              describe(global), bound->bytes.size(),
                              program.types.spell(global.type), smallest),
                  "bind a larger buffer");
    }
    out[i] = {bound->bytes.data(), bound->bytes.size()};
  }
  VYRE_CHECK(refuse_shared_writes(program, out));
  return out;
}

}  // namespace vyre
