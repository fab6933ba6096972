// Any bytes as the file of a graph: an error, or a graph that is valid and no larger than the file
// can hold. The first byte chooses the format.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "vyre/data/graph/graph_file.h"

using namespace vyre;

namespace {

void check(const Result<GraphData>& graph, std::size_t bytes) {
  if (!graph) {
    if (graph.error().what.empty()) std::abort();
    return;
  }
  if (!check_graph(*graph)) std::abort();
  if (graph->columns.size() > bytes) std::abort();
}

// The lengths of the first two of three files take two bytes each.
void check_npy(std::string_view bytes) {
  if (bytes.size() < 4) return;
  const auto length = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at])) |
           static_cast<std::size_t>(static_cast<unsigned char>(bytes[at + 1])) << 8;
  };
  const std::string_view rest = bytes.substr(4);
  const std::size_t first = std::min(length(0), rest.size());
  const std::size_t second = std::min(length(2), rest.size() - first);
  check(parse_npy_graph(
            {rest.substr(0, first), rest.substr(first, second), rest.substr(first + second), {}}),
        bytes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view file(reinterpret_cast<const char*>(data) + 1, size - 1);
  const WeightUse use = (data[0] & 8) == 0 ? WeightUse::read : WeightUse::ignore;
  switch (data[0] & 3) {
    case 0: check(parse_sg(file, "fuzz.sg", false, use), size); break;
    case 1: check(parse_sg(file, "fuzz.wsg", true, use), size); break;
    case 2: check(parse_mtx(file, "fuzz.mtx", use), size); break;
    default: check_npy(file); break;
  }
  return 0;
}
