#include "vyre/cli/graph/included_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "vyre/base/text/nearest.h"
#include "vyre/cli/command.h"
#include "vyre/frontier/reference.h"

namespace vyre {
namespace {

constexpr std::uint32_t kUnreached = 0xffffffff;
// Sums of weights of shortest paths saturate here.
constexpr std::uint32_t kFarthest = 0xfffffffe;
constexpr double kDefaultCore = 3;

template <class T>
std::vector<T> values_of(const ProgramRun& run) {
  std::vector<T> values(run.result.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), run.result.data(), values.size() * sizeof(T));
  return values;
}

double setting_of(const ProgramRun& run, std::string_view name, double otherwise) {
  for (const Setting& setting : run.settings) {
    if (setting.name == name) return setting.value;
  }
  return otherwise;
}

std::string vertices_text(std::uint64_t count) {
  return count == 1 ? "1 vertex" : fmt::format("{} vertices", with_commas(count));
}

std::string spelled(std::uint32_t value) {
  return value == kUnreached ? std::string("unreached") : fmt::format("{}", value);
}

Result<void> compare(const std::vector<std::uint32_t>& found,
                     const std::vector<std::uint32_t>& expected, std::string_view what) {
  if (found.size() != expected.size()) {
    return fail(Code::device, fmt::format("verification: {} values for {}", found.size(),
                                          vertices_text(expected.size())));
  }
  const auto differs = std::ranges::mismatch(found, expected);
  if (differs.in1 == found.end()) return {};
  std::uint64_t different = 0;
  for (std::size_t i = 0; i < found.size(); ++i) different += found[i] != expected[i] ? 1 : 0;
  return fail(
      Code::device,
      fmt::format("verification: the {} of {} of {} vertices differs from that of a serial "
                  "algorithm; first vertex {}: {} instead of {}",
                  what, with_commas(different), with_commas(found.size()),
                  differs.in1 - found.begin(), spelled(*differs.in1), spelled(*differs.in2)));
}

// Edges that leave vertices for which `counts` holds.
template <class Counts>
std::uint64_t edges_from(const GraphData& graph, const Counts& counts) {
  std::uint64_t edges = 0;
  for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex) {
    if (counts(vertex)) edges += graph.degree(vertex);
  }
  return edges;
}

std::uint64_t edges_reached(const ProgramRun& run) {
  const auto found = values_of<std::uint32_t>(run);
  return edges_from(run.graph, [&](std::uint32_t v) { return found[v] != kUnreached; });
}
std::uint64_t edges_once(const ProgramRun& run) { return run.graph.edges(); }
std::uint64_t edges_each_round(const ProgramRun& run) {
  return std::uint64_t{run.graph.edges()} * run.rounds;
}

struct Reached {
  std::uint64_t vertices = 0;
  std::uint32_t farthest = 0;
};
Reached reached_by(const ProgramRun& run) {
  Reached out;
  for (const std::uint32_t value : values_of<std::uint32_t>(run)) {
    if (value == kUnreached) continue;
    ++out.vertices;
    out.farthest = std::max(out.farthest, value);
  }
  return out;
}

Result<void> verify_bfs(const ProgramRun& run) {
  return compare(values_of<std::uint32_t>(run), reference_depths(run.graph, run.first), "depth");
}
std::string summary_bfs(const ProgramRun& run) {
  const Reached reached = reached_by(run);
  return fmt::format("reached {} of {}, the farthest after {}", with_commas(reached.vertices),
                     vertices_text(run.graph.vertices()), counted(reached.farthest, "edge"));
}

Result<void> verify_sssp(const ProgramRun& run) {
  std::vector<std::uint32_t> expected;
  for (const std::uint64_t distance : reference_distances(run.graph, run.first)) {
    expected.push_back(
        distance == kUnreachedDistance
            ? kUnreached
            : static_cast<std::uint32_t>(std::min<std::uint64_t>(distance, kFarthest)));
  }
  return compare(values_of<std::uint32_t>(run), expected, "distance");
}
std::string summary_sssp(const ProgramRun& run) {
  const Reached reached = reached_by(run);
  return fmt::format("reached {} of {}, the farthest at a distance of {}",
                     with_commas(reached.vertices), vertices_text(run.graph.vertices()),
                     with_commas(reached.farthest));
}

Result<void> verify_components(const ProgramRun& run) {
  return compare(values_of<std::uint32_t>(run), reference_components(run.graph), "component");
}
std::string summary_components(const ProgramRun& run) {
  const auto label = values_of<std::uint32_t>(run);
  std::vector<std::uint32_t> size(label.size());
  for (const std::uint32_t each : label) ++size[std::min<std::size_t>(each, size.size() - 1)];
  const auto components = std::ranges::count_if(size, [](std::uint32_t n) { return n != 0; });
  return fmt::format("{}, the largest of {}",
                     counted(static_cast<std::uint64_t>(components), "component"),
                     vertices_text(*std::ranges::max_element(size)));
}

// Sums of f32 are compared with those of double precision: by this share of the value, and of the
// mean rank for ranks far below it.
constexpr double kRankTolerance = 1e-4;

Result<void> verify_pagerank(const ProgramRun& run) {
  const auto found = values_of<float>(run);
  const double damping = setting_of(run, "damping", kPageRankDamping);
  const auto expected = reference_pagerank(run.graph, run.rounds, static_cast<float>(damping));
  if (found.size() != expected.size()) {
    return fail(Code::device, fmt::format("verification: {} ranks for {}", found.size(),
                                          vertices_text(expected.size())));
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double error = std::abs(found[i] - expected[i]);
    const double allowed =
        kRankTolerance * std::max(expected[i], 1.0 / static_cast<double>(expected.size()));
    if (error <= allowed) continue;  // false for NaN
    return fail(Code::device,
                fmt::format("verification: the rank of vertex {} is {}; in double precision it is "
                            "{}, and {} is allowed between the two",
                            i, found[i], expected[i], allowed));
  }
  return {};
}
std::string summary_pagerank(const ProgramRun& run) {
  const auto rank = values_of<float>(run);
  const auto highest = std::ranges::max_element(rank);
  return fmt::format("the highest rank is that of vertex {}: {:.6g}", highest - rank.begin(),
                     *highest);
}

Result<void> verify_kcore(const ProgramRun& run) {
  const double k = setting_of(run, "k", kDefaultCore);
  std::vector<std::uint32_t> expected;
  for (const std::uint32_t core : reference_core_numbers(run.graph)) {
    expected.push_back(core >= k ? 1 : 0);
  }
  return compare(values_of<std::uint32_t>(run), expected, "membership");
}
std::string summary_kcore(const ProgramRun& run) {
  const auto inside = values_of<std::uint32_t>(run);
  return fmt::format("the {:.0f}-core has {}", setting_of(run, "k", kDefaultCore),
                     vertices_text(static_cast<std::uint64_t>(std::ranges::count(inside, 1U))));
}

std::string_view text_of(std::string_view name) {
  const auto texts = included_texts();
  return std::ranges::find(texts, name, &IncludedText::name)->text;
}

const std::array<IncludedProgram, 5>& programs() {
  static const std::array<IncludedProgram, 5> all{{
      {.name = "bfs",
       .text = text_of("bfs"),
       .result = "depth",
       .whole_run = true,
       .verify = verify_bfs,
       .summary = summary_bfs,
       .edges = edges_reached},
      {.name = "sssp",
       .text = text_of("sssp"),
       .result = "distance",
       .whole_run = true,
       .verify = verify_sssp,
       .summary = summary_sssp,
       .edges = edges_reached},
      {.name = "components",
       .text = text_of("components"),
       .result = "label",
       .all = true,
       .whole_run = true,
       .symmetric_override = "undirected",
       .verify = verify_components,
       .summary = summary_components,
       .edges = edges_once},
      {.name = "pagerank",
       .text = text_of("pagerank"),
       .result = "rank",
       .all = true,
       .verify = verify_pagerank,
       .summary = summary_pagerank,
       .edges = edges_each_round},
      {.name = "kcore",
       .text = text_of("kcore"),
       .result = "inside",
       .all = true,
       .undirected = true,
       .whole_run = true,
       .verify = verify_kcore,
       .summary = summary_kcore,
       .edges = edges_once},
  }};
  return all;
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const IncludedProgram& each : programs()) out.emplace_back(each.name);
  return out;
}

}  // namespace

std::optional<IncludedProgram> included_program(std::string_view name) {
  for (const IncludedProgram& each : programs()) {
    if (each.name == name) return each;
  }
  return std::nullopt;
}

std::string included_names() { return join_words(names()); }

std::string nearest_included(std::string_view name) {
  const std::vector<std::string> known = names();
  return nearest(name, known);
}

}  // namespace vyre
