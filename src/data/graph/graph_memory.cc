#include <fmt/format.h>

#include "vyre/base/memory/memory_headroom.h"
#include "vyre/data/graph/graph_internal.h"
#include "vyre/data/number_text.h"

namespace vyre {

Result<void> check_memory(std::uint64_t bytes, std::string_view name) {
  const MemoryHeadroom headroom = memory_headroom();
  if (bytes <= headroom.bytes) return {};
  return fail(Code::out_of_memory,
              fmt::format("{}: needs {} bytes of memory; {} leaves {}", name, with_commas(bytes),
                          headroom.limit, with_commas(headroom.bytes)));
}

}  // namespace vyre
