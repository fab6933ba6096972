#include "vyre/cli/graph/topology_words.h"

#include <fmt/format.h>

#include <array>

#include "vyre/base/text/nearest.h"
#include "vyre/data/number_text.h"

namespace vyre {
namespace {

struct Word {
  std::string_view word;
  Topology topology;
};
constexpr std::array kWords{
    Word{"sparse", Topology::sparse_frontier}, Word{"hybrid", Topology::hybrid_frontier},
    Word{"dense", Topology::dense_frontier}, Word{"fused", Topology::fused_dense},
    Word{"memory", Topology::memory_constrained}};

}  // namespace

Result<Topology> parse_round_topology(const std::string& text) {
  std::vector<std::string> words;
  for (const Word& each : kWords) {
    if (text == each.word || text == to_string(each.topology)) return each.topology;
    words.emplace_back(each.word);
  }
  const std::string meant = nearest(text, words);
  return fail(Code::invalid_input, fmt::format("there is no topology {}", quote(text)),
              meant.empty() ? "there are sparse, hybrid, dense, fused and memory"
                            : fmt::format("did you mean {}?", meant));
}

}  // namespace vyre
