#include "vyre/cli/graph/graph_input.h"

#include <fmt/format.h>

#include "vyre/data/graph/graph_file.h"
#include "vyre/data/graph/graph_generate.h"

namespace vyre {
namespace {

Result<GraphInput> read_or_make(const std::string& text, const GraphNeeds& needs) {
  GraphInput input;
  if (text.find(':') != std::string::npos && text.find('/') == std::string::npos) {
    VYRE_TRY(const GraphRecipe recipe, parse_graph_recipe(text));
    VYRE_TRY(input.graph, make_graph(recipe));
    input.name = describe(recipe);
    input.symmetric = true;
    if (needs.weights) {
      add_weights(input.graph);
      input.notes.emplace_back("the edges weigh from 1 to 255, by their two vertices");
    }
    return input;
  }
  VYRE_TRY(input.graph, read_graph(text, needs.weights ? WeightUse::read : WeightUse::ignore));
  input.name = text;
  if (needs.weights && input.graph.weights.empty()) {
    input.graph.weights.assign(input.graph.columns.size(), 1);
    input.notes.push_back(fmt::format("{} has no weights: each edge weighs 1", text));
  }
  return input;
}

}  // namespace

Result<GraphInput> load_graph(const std::string& text, const GraphNeeds& needs) {
  VYRE_TRY(GraphInput input, read_or_make(text, needs));
  if (input.graph.vertices() == 0) {
    return fail(Code::invalid_input, fmt::format("{}: the graph has no vertices", text));
  }
  if (needs.reversed) {
    VYRE_TRY(input.graph, with_reverse_edges(input.graph));
    input.symmetric = true;
  }
  if (!input.symmetric && (needs.undirected || needs.known)) {
    input.symmetric = is_symmetric(input.graph);
  }
  if (needs.undirected && !input.symmetric) {
    return fail(Code::invalid_input,
                fmt::format("{}: not every edge of the graph has its reverse", text),
                "add --undirected");
  }
  return input;
}

}  // namespace vyre
