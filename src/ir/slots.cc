#include "vyre/ir/slots.h"

#include <algorithm>
#include <utility>

namespace vyre {

std::vector<GlobalId> slots_of(const Program& program) {
  std::vector<GlobalId> out;
  for (std::uint32_t i = 0; i < program.globals.size(); ++i) {
    const auto memory = program.globals[i].memory;
    if (memory == MemoryKind::storage || memory == MemoryKind::uniform) out.push_back(GlobalId{i});
  }
  std::ranges::sort(out, {},
                    [&](GlobalId g) { return std::pair(program[g].group, program[g].binding); });
  return out;
}

bool is_written(const Global& global) {
  return global.memory == MemoryKind::storage && global.access != Access::read;
}

}  // namespace vyre
