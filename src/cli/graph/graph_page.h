// A run of a graph program as one HTML page without references to anything else: frontier, edges
// and time of each round as charts, coloured by topology.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "vyre/frontier/frontier.h"

namespace vyre {

struct GraphPage {
  std::string_view command;  // as it was typed
  std::string_view title;    // "bfs on kron:20:16"
  std::string_view summary;  // a sentence about the result; may be empty
  std::string_view device;
  std::uint32_t vertices = 0, edges = 0;
  bool verified = false;
  const FrontierResult& result;
};

std::string graph_page(const GraphPage& page);

}  // namespace vyre
