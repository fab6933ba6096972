#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "vyre/base/arithmetic.h"
#include "vyre/data/graph/graph_file.h"
#include "vyre/data/number_text.h"

namespace vyre {
namespace {

constexpr std::size_t kSgHeader = 17;

template <class T>
T load(std::string_view file, std::uint64_t at) {
  T value{};
  std::memcpy(&value, file.data() + at, sizeof(T));
  return value;
}

template <class T>
void append(std::string& file, T value) {
  file.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

std::unexpected<Error> wrong(std::string_view name, std::string_view what) {
  return fail(Code::invalid_input, fmt::format("{}: {}", name, what));
}

// The bytes of one direction: offsets and columns; empty if 64 bits cannot count them.
std::optional<std::uint64_t> direction_bytes(std::uint64_t vertices, std::uint64_t edges,
                                             std::uint64_t edge_bytes) {
  const auto entries = checked_add(vertices, std::uint64_t{1});
  const auto offsets = entries ? checked_mul(*entries, std::uint64_t{8}) : std::nullopt;
  const auto columns = checked_mul(edges, edge_bytes);
  return offsets && columns ? checked_add(*offsets, *columns) : std::nullopt;
}

void append_direction(std::string& file, const GraphData& graph) {
  for (const std::uint32_t offset : graph.offsets) append(file, std::int64_t{offset});
  for (std::size_t edge = 0; edge < graph.columns.size(); ++edge) {
    append(file, graph.columns[edge]);
    if (!graph.weights.empty()) append(file, graph.weights[edge]);
  }
}

}  // namespace

Result<GraphData> parse_sg(std::string_view file, std::string_view name, bool weighted,
                           WeightUse weights) {
  if (file.size() < kSgHeader) {
    return wrong(name, fmt::format("is not a serialised graph: it has {} bytes, its header {}",
                                   file.size(), kSgHeader));
  }
  const auto directed = static_cast<unsigned char>(file[0]);
  const auto edges = load<std::uint64_t>(file, 1), vertices = load<std::uint64_t>(file, 9);
  if (directed > 1) {
    return wrong(name, fmt::format("is not a serialised graph: its first byte is {}", directed));
  }
  if (vertices > kMaxGraphVertices || edges > kMaxGraphEdges) {
    return fail(Code::limit, fmt::format("{}: has {} vertices and {} edges; a graph has up to {} "
                                         "of each",
                                         name, with_commas(vertices), with_commas(edges),
                                         with_commas(kMaxGraphEdges)));
  }
  const std::uint64_t edge_bytes = weighted ? 8 : 4;
  const auto one = direction_bytes(vertices, edges, edge_bytes);
  const auto all = one && directed == 1 ? checked_mul(*one, std::uint64_t{2}) : one;
  if (!all || *all != file.size() - kSgHeader) {
    return wrong(
        name,
        fmt::format("with its {} vertices and {} stored edges {} graph has {} bytes; "
                    "the file has {}",
                    with_commas(vertices), with_commas(edges),
                    directed == 1 ? "a directed" : "an undirected",
                    all ? with_commas(*all + kSgHeader) : "too many", with_commas(file.size())));
  }

  GraphData graph;
  graph.offsets.resize(vertices + 1);
  for (std::uint64_t i = 0; i <= vertices; ++i) {
    const auto offset = load<std::int64_t>(file, kSgHeader + 8 * i);
    if (offset < 0 || static_cast<std::uint64_t>(offset) > edges) {
      return wrong(name, fmt::format("offset {} is {}, but the graph has {}", i, offset,
                                     counted(edges, "edge")));
    }
    graph.offsets[i] = static_cast<std::uint32_t>(offset);
  }
  const std::uint64_t begin = kSgHeader + 8 * (vertices + 1);
  graph.columns.resize(edges);
  for (std::uint64_t i = 0; i < edges; ++i) {
    graph.columns[i] = load<std::uint32_t>(file, begin + edge_bytes * i);
  }
  if (weighted && weights == WeightUse::read) {
    graph.weights.resize(edges);
    for (std::uint64_t i = 0; i < edges; ++i) {
      const auto weight = load<std::int32_t>(file, begin + 8 * i + 4);
      if (weight < 0) {
        return wrong(name, fmt::format("the weight of edge {} is {}, below 0", i, weight));
      }
      graph.weights[i] = static_cast<std::uint32_t>(weight);
    }
  }
  const std::string offsets = fmt::format("{}: offsets", name);
  const std::string columns = fmt::format("{}: columns", name);
  VYRE_CHECK(check_graph(graph, {offsets, columns, name}));
  return graph;
}

std::string sg_file(const GraphData& graph) {
  const bool directed = !is_symmetric(graph);
  std::string file;
  append(file, static_cast<char>(directed));
  append(file, std::int64_t{graph.edges()});
  append(file, std::int64_t{graph.vertices()});
  append_direction(file, graph);
  if (directed) append_direction(file, transpose(graph));
  return file;
}

}  // namespace vyre
