// The graph that a command names, with the weights and edges that its program needs.
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

// Reads or generates the graph. A generated graph gets weights from 1 to 255; the edges of a file
// without weights weigh 1. A graph without vertices is an error.
Result<GraphInput> load_graph(const std::string& text, const GraphNeeds& needs);

}  // namespace vyre
