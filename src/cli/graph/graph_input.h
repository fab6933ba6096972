// The graph that a command names, as its program needs it.
#pragma once

#include <string>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/data/graph/graph.h"

namespace vyre {

struct GraphNeeds {
  bool weights = false;     // the program reads the weights of edges
  bool undirected = false;  // the program needs the reverse of every edge
  bool reversed = false;    // the user asks for the reverse of every edge
  bool known = false;       // the program gains from knowing whether every edge has its reverse
};

struct GraphInput {
  GraphData graph;
  std::string name;                // "kron:20:16", or the file
  std::vector<std::string> notes;  // what was added to the graph
  bool symmetric = false;          // each edge has its reverse; false may mean that nobody asked
};

// Reads or makes the graph. Weights that it does not have are made: from 1 to 255 for a graph that
// is made here, and 1 for that of a file. A graph without vertices is an error.
Result<GraphInput> load_graph(const std::string& text, const GraphNeeds& needs);

}  // namespace vyre
