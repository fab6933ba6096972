#include "vyre/data/graph/graph_generate.h"

#include <fmt/format.h>

#include <array>
#include <numeric>
#include <optional>

#include "vyre/base/text/nearest.h"
#include "vyre/data/graph/graph_internal.h"
#include "vyre/data/number_text.h"

namespace vyre {
namespace {

constexpr std::uint32_t kMaxScale = 30;
constexpr std::uint32_t kMaxDegree = 1024;

struct KindName {
  GraphRecipe::Kind kind;
  std::string_view word, form;
};
constexpr std::array kKinds{
    KindName{GraphRecipe::Kind::path, "path", "path:N"},
    KindName{GraphRecipe::Kind::grid, "grid", "grid:WxH"},
    KindName{GraphRecipe::Kind::kron, "kron", "kron:S or kron:S:DEGREE"},
    KindName{GraphRecipe::Kind::uniform, "uniform", "uniform:S or uniform:S:DEGREE"},
};

const KindName& name_of(GraphRecipe::Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

const KindName* find_kind(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return nullptr;
  for (const KindName& each : kKinds) {
    if (text.substr(0, colon) == each.word) return &each;
  }
  return nullptr;
}

std::uint64_t vertices_of(const GraphRecipe& recipe) {
  switch (recipe.kind) {
    case GraphRecipe::Kind::path: return recipe.first;
    case GraphRecipe::Kind::grid: return std::uint64_t{recipe.first} * recipe.second;
    default: return std::uint64_t{1} << recipe.first;
  }
}

// The edges in both directions, at most.
std::uint64_t edges_of(const GraphRecipe& recipe) {
  const std::uint64_t vertices = vertices_of(recipe);
  switch (recipe.kind) {
    case GraphRecipe::Kind::path: return 2 * (vertices - 1);
    case GraphRecipe::Kind::grid:
      return 4 * vertices - 2 * (std::uint64_t{recipe.first} + recipe.second);
    default: return 2 * vertices * recipe.second;
  }
}

Result<void> check_size(const GraphRecipe& recipe, std::string_view text) {
  const std::uint64_t vertices = vertices_of(recipe);
  if (vertices > kMaxGraphVertices) {
    return fail(Code::limit, fmt::format("{} has {} vertices; a graph has up to {}", quote(text),
                                         with_commas(vertices), with_commas(kMaxGraphVertices)));
  }
  if (edges_of(recipe) > kMaxGraphEdges) {
    return fail(Code::limit,
                fmt::format("{} has {} edges; a graph has up to {}", quote(text),
                            with_commas(edges_of(recipe)), with_commas(kMaxGraphEdges)));
  }
  return {};
}

// A sequence of random numbers that is a function of a seed and an index alone (SplitMix64).
class Sequence {
 public:
  explicit Sequence(std::uint64_t seed) : state_(seed * 0xd1342543de82ef95U + 1) {}
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t bits = state_;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
    return bits ^ (bits >> 31);
  }

 private:
  std::uint64_t state_;
};

// An edge of a Kronecker graph: in each of `scale` levels one quarter of the adjacency matrix is
// drawn, with the probabilities of the Graph500 benchmark: 0.57, 0.19, 0.19 and 0.05.
GraphEdge kronecker_edge(std::uint32_t scale, std::uint64_t index) {
  constexpr std::uint64_t kA = 37356, kAB = 49807, kABC = 62259;  // of 65,536
  Sequence random(index);
  std::uint64_t bits = 0;
  std::uint32_t source = 0, target = 0;
  for (std::uint32_t level = 0; level < scale; ++level) {
    if (level % 4 == 0) bits = random.next();
    const std::uint64_t draw = bits & 0xffff;
    bits >>= 16;
    // The quarters are, in the order of their draws: neither bit, the target's, the source's, both.
    const bool b = draw >= kA, c = draw >= kAB, d = draw >= kABC;
    source = source << 1 | static_cast<std::uint32_t>(c);
    target = target << 1 | static_cast<std::uint32_t>(b ^ c ^ d);
  }
  return {source, target};
}

GraphEdge uniform_edge(std::uint32_t scale, std::uint64_t index) {
  const std::uint64_t bits = Sequence(index).next();
  const std::uint64_t mask = (std::uint64_t{1} << scale) - 1;
  return {static_cast<std::uint32_t>(bits & mask), static_cast<std::uint32_t>(bits >> 32 & mask)};
}

// The vertices in a random order.
std::vector<std::uint32_t> shuffled(std::uint32_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  Sequence random(0x5eed);
  for (std::uint32_t i = count; i > 1; --i) {
    // The high bits of a product are an even choice, but for one in 2^32.
    const auto other = static_cast<std::uint32_t>((random.next() >> 32) * i >> 32);
    std::swap(order[i - 1], order[other]);
  }
  return order;
}

// The simple undirected graph of `draws` edges; `edge_at` is called twice for each of them, so that
// no list of edges is kept.
template <class EdgeAt>
GraphData undirected_graph(std::uint32_t vertices, std::uint64_t draws, const EdgeAt& edge_at) {
  GraphData graph;
  graph.offsets.assign(std::size_t{vertices} + 1, 0);
  for (std::uint64_t i = 0; i < draws; ++i) {
    const auto [a, b] = edge_at(i);
    if (a == b) continue;
    ++graph.offsets[a + 1];
    ++graph.offsets[b + 1];
  }
  std::partial_sum(graph.offsets.begin(), graph.offsets.end(), graph.offsets.begin());
  graph.columns.resize(graph.offsets.back());
  std::vector<std::uint32_t> next(graph.offsets.begin(), graph.offsets.end() - 1);
  for (std::uint64_t i = 0; i < draws; ++i) {
    const auto [a, b] = edge_at(i);
    if (a == b) continue;
    graph.columns[next[a]++] = b;
    graph.columns[next[b]++] = a;
  }
  // The transpose of a symmetric graph is the graph itself, with ascending targets.
  return simplify(transpose(graph));
}

GraphData make_path(std::uint32_t count) {
  GraphData graph;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i > 0) graph.columns.push_back(i - 1);
    if (i + 1 < count) graph.columns.push_back(i + 1);
    graph.offsets.push_back(graph.edges());
  }
  return graph;
}

GraphData make_grid(std::uint32_t width, std::uint32_t height) {
  GraphData graph;
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      const std::uint32_t at = y * width + x;
      if (y > 0) graph.columns.push_back(at - width);
      if (x > 0) graph.columns.push_back(at - 1);
      if (x + 1 < width) graph.columns.push_back(at + 1);
      if (y + 1 < height) graph.columns.push_back(at + width);
      graph.offsets.push_back(graph.edges());
    }
  }
  return graph;
}

Result<std::uint32_t> number(std::string_view text, std::string_view what, std::uint32_t least,
                             std::uint32_t most) {
  const auto value = parse_whole(text, most);
  if (value && *value >= least) return static_cast<std::uint32_t>(*value);
  return fail(Code::invalid_input, fmt::format("{} is not {} (a whole number from {} to {})",
                                               quote(text), what, least, most));
}

}  // namespace

Result<GraphRecipe> parse_graph_recipe(std::string_view text) {
  const KindName* kind = find_kind(text);
  if (kind == nullptr) {
    const std::string_view word = text.substr(0, text.find(':'));
    std::vector<std::string> words;
    for (const KindName& each : kKinds) words.emplace_back(each.word);
    const std::string meant = nearest(word, words);
    return fail(Code::invalid_input, fmt::format("no graph is made by {}", quote(text)),
                meant.empty() ? "there are path:N, grid:WxH, kron:S and uniform:S"
                              : fmt::format("did you mean {}?", meant));
  }
  const std::string_view rest = text.substr(kind->word.size() + 1);
  GraphRecipe recipe{.kind = kind->kind};
  if (kind->kind == GraphRecipe::Kind::path) {
    VYRE_TRY(recipe.first, number(rest, "a number of vertices", 1, 0xfffffffe));
  } else if (kind->kind == GraphRecipe::Kind::grid) {
    const auto sides = split(rest, 'x');
    if (sides.size() != 2) {
      return fail(Code::invalid_input, fmt::format("{} is not {}", quote(text), kind->form));
    }
    VYRE_TRY(recipe.first, number(sides[0], "a width", 1, 0xfffffffe));
    VYRE_TRY(recipe.second, number(sides[1], "a height", 1, 0xfffffffe));
  } else {
    const auto parts = split(rest, ':');
    if (parts.size() > 2) {
      return fail(Code::invalid_input, fmt::format("{} is not {}", quote(text), kind->form));
    }
    VYRE_TRY(recipe.first, number(parts[0], "a scale", 0, kMaxScale));
    recipe.second = kDefaultGraphDegree;
    if (parts.size() == 2) {
      VYRE_TRY(recipe.second, number(parts[1], "a degree", 1, kMaxDegree));
    }
  }
  VYRE_CHECK(check_size(recipe, text));
  return recipe;
}

std::string describe(const GraphRecipe& recipe) {
  const std::string_view word = name_of(recipe.kind).word;
  switch (recipe.kind) {
    case GraphRecipe::Kind::path: return fmt::format("{}:{}", word, recipe.first);
    case GraphRecipe::Kind::grid: return fmt::format("{}:{}x{}", word, recipe.first, recipe.second);
    default: return fmt::format("{}:{}:{}", word, recipe.first, recipe.second);
  }
}

std::uint64_t bytes_to_make(const GraphRecipe& recipe) {
  // A vector that grows holds its old contents and a copy of twice the capacity; a random graph is
  // held before and after it is sorted, then simplified into a vector that grows.
  const bool drawn =
      recipe.kind == GraphRecipe::Kind::kron || recipe.kind == GraphRecipe::Kind::uniform;
  return sizeof(std::uint32_t) * (drawn ? 4 : 3) * (edges_of(recipe) + vertices_of(recipe));
}

Result<GraphData> make_graph(const GraphRecipe& recipe) {
  VYRE_CHECK(check_size(recipe, describe(recipe)));
  VYRE_CHECK(check_memory(bytes_to_make(recipe), describe(recipe)));
  const auto vertices = static_cast<std::uint32_t>(vertices_of(recipe));
  const std::uint64_t draws = std::uint64_t{vertices} * recipe.second;
  switch (recipe.kind) {
    case GraphRecipe::Kind::path: return make_path(vertices);
    case GraphRecipe::Kind::grid: return make_grid(recipe.first, recipe.second);
    case GraphRecipe::Kind::uniform:
      return undirected_graph(
          vertices, draws, [&](std::uint64_t index) { return uniform_edge(recipe.first, index); });
    case GraphRecipe::Kind::kron: break;
  }
  // Without new numbers, the vertices of large degree would stand beside each other.
  const std::vector<std::uint32_t> numbers = shuffled(vertices);
  return undirected_graph(vertices, draws, [&](std::uint64_t index) {
    const auto [a, b] = kronecker_edge(recipe.first, index);
    return GraphEdge{numbers[a], numbers[b]};
  });
}

}  // namespace vyre
