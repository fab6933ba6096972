#include "vyre/frontier/oracle_testing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <span>
#include <utility>

#include "vyre/frontier/code_internal.h"
#include "vyre/ir/builder/builder.h"
#include "vyre/ir/interpret/interpret.h"

namespace vyre {
namespace {

// Each call has four words of arguments and one word of result; sums are by vertex.
constexpr std::uint32_t kArguments = 0, kResults = 1, kSums = 2, kRound = 3;

// One invocation that makes all calls one after the other.
Kernel kernel_of(const FrontierFunctions& f, const std::string& name, FunctionId function) {
  ProgramBuilder b("oracle_" + name, {1, 1, 1});
  const std::array<FunctionId, 1> wanted{function};
  const FunctionId callee = b.copy_functions(f.library, wanted).front();
  const auto at = [&](std::uint32_t binding) { return BindingPoint{f.group, binding}; };
  const auto kind = f.gather ? f.library.types.scalar_kind(f.sum) : ScalarKind::u32;
  const TypeId sum = kind == ScalarKind::f32 ? b.f32 : kind == ScalarKind::i32 ? b.i32 : b.u32;
  const Ref arguments = b.storage_read("arguments", b.array(b.u32), at(kArguments));
  const Ref results = b.storage("results", b.array(b.u32), at(kResults));
  const Ref sums = b.storage("sums", b.array(sum), at(kSums));
  const Ref round = b.storage_read("round", b.array(b.u32), at(kRound));
  b.for_("call", 0U, results.length(), [&](const Value& i) {
    const Value a = arguments[i * 4U], s = arguments[i * 4U + 1U];
    const Value e = arguments[i * 4U + 2U], t = arguments[i * 4U + 3U];
    const Value r = round[0U];
    const auto truth = [&](const Value& v) { results[i] = b.select(0U, 1U, v); };
    if (name == "init" || name == "start") b.call(callee, {a});
    if (name == "wants") truth(b.call(callee, {a}));
    if (name == "after" || name == "waits") truth(b.call(callee, {a, r}));
    if (name == "visit") truth(b.call(callee, {s, e, t, r}));
    if (name == "apply") truth(b.call(callee, {a, sums[a], r}));
    if (name == "gather" && f.gather_round) sums[t] = b.call(callee, {t, s, e, r, sums[t]});
    if (name == "gather" && !f.gather_round) sums[t] = b.call(callee, {t, s, e, sums[t]});
  });
  Result<Program> program = std::move(b).build();
  EXPECT_TRUE(program) << describe(program.error());
  Result<Kernel> kernel = make_kernel(*std::move(program));
  EXPECT_TRUE(kernel) << describe(kernel.error());
  return *std::move(kernel);
}

std::vector<std::byte> bytes_of(std::span<const std::uint32_t> words) {
  const auto bytes = std::as_bytes(words);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

struct FrontierOracle::Memory {
  OracleResult out;
  std::vector<std::uint32_t> sums;
  std::uint32_t round = 0;
};

FrontierOracle::FrontierOracle(const FrontierProgram& program) : code_(program.code_) {
  const FrontierFunctions& f = code_->functions;
  const std::pair<const char*, std::optional<FunctionId>> all[] = {
      {"init", f.init},   {"start", f.start}, {"visit", f.visit},   {"wants", f.wants},
      {"waits", f.waits}, {"after", f.after}, {"gather", f.gather}, {"apply", f.apply}};
  for (const auto& [name, id] : all) {
    if (id) kernels_.emplace(name, kernel_of(f, name, *id));
  }
}

Result<std::vector<std::uint32_t>> FrontierOracle::call(const Kernel& kernel, Memory& memory,
                                                        const std::vector<std::uint32_t>& arguments,
                                                        std::uint32_t count) {
  std::vector<std::uint32_t> results(count);
  if (count == 0) return results;
  std::vector<std::uint32_t> own = arguments;
  std::vector<BoundBuffer> buffers;
  for (const FrontierVariable& v : code_->variables) {
    buffers.push_back({v.group, v.binding, memory.out.state[v.name]});
  }
  const std::uint32_t group = code_->functions.group;
  const auto bind = [&](std::uint32_t binding, std::span<std::uint32_t> words) {
    buffers.push_back({group, binding, std::as_writable_bytes(words)});
  };
  bind(kArguments, own);
  bind(kResults, results);
  bind(kSums, memory.sums);
  bind(kRound, std::span(&memory.round, 1));
  const auto report = interpret(kernel, buffers, {.grid = {1, 1, 1}});
  if (!report) return std::unexpected(report.error());
  return results;
}

Result<OracleResult> FrontierOracle::run(
    const GraphData& graph, const FrontierRun& run,
    const std::map<std::string, std::vector<std::byte>>& state) {
  Memory memory;
  const std::uint32_t n = graph.vertices();
  for (const FrontierVariable& v : code_->variables) {
    auto& bytes = memory.out.state[v.name];
    const auto given = state.find(v.name);
    if (given != state.end()) {
      bytes = given->second;
    } else if (v.fill == FrontierFill::weights) {
      bytes = bytes_of(graph.weights);
      if (bytes.empty()) bytes.resize(4);
    } else if (v.fill == FrontierFill::offsets) {
      bytes = bytes_of(graph.offsets);
    } else if (v.fill == FrontierFill::columns) {
      bytes = bytes_of(graph.columns);
      if (bytes.empty()) bytes.resize(4);
    } else {
      bytes.resize(v.least_bytes + v.element_bytes * (std::max(n, 1U) - 1));
    }
  }
  memory.sums.resize(std::max(n, 1U));
  std::set<std::uint32_t> frontier(run.first.begin(), run.first.end());
  for (std::uint32_t v = 0; run.all && v < n; ++v) frontier.insert(v);

  const auto over = [&](const char* name, const auto& vertices) {
    std::vector<std::uint32_t> arguments;
    for (const std::uint32_t v : vertices) arguments.insert(arguments.end(), {v, 0, 0, 0});
    return call(kernels_.at(name), memory, arguments, static_cast<std::uint32_t>(vertices.size()));
  };
  std::vector<std::uint32_t> all(n);
  for (std::uint32_t v = 0; v < n; ++v) all[v] = v;
  if (kernels_.contains("init")) VYRE_CHECK(over("init", all));
  if (kernels_.contains("start")) VYRE_CHECK(over("start", frontier));
  const bool gathers = kernels_.contains("gather");
  for (; !frontier.empty() && memory.round < run.most_rounds; ++memory.round) {
    memory.out.frontiers.emplace_back(frontier.begin(), frontier.end());
    std::vector<std::uint32_t> arguments, targets;
    std::set<std::uint32_t> next;
    if (kernels_.contains("waits")) {
      VYRE_TRY(const auto waiting, over("waits", frontier));
      std::size_t i = 0;
      for (const std::uint32_t v : frontier) {
        if (waiting[i++] != 0) next.insert(v);
      }
    }
    const std::set<std::uint32_t> kept_back = next;
    for (std::uint32_t source = 0; source < n; ++source) {
      if (!gathers && (!frontier.contains(source) || kept_back.contains(source))) continue;
      for (std::uint32_t e = graph.offsets[source]; e < graph.offsets[source + 1]; ++e) {
        arguments.insert(arguments.end(), {0, source, e, graph.columns[e]});
        targets.push_back(graph.columns[e]);
      }
    }
    const auto edges = static_cast<std::uint32_t>(targets.size());
    if (gathers) {
      std::ranges::fill(memory.sums, 0U);
      VYRE_CHECK(call(kernels_.at("gather"), memory, arguments, edges));
      VYRE_TRY(const auto goes_on, over("apply", all));
      if (std::ranges::find(goes_on, 1U) != goes_on.end()) next = frontier;
    } else {
      VYRE_TRY(const auto hits, call(kernels_.at("visit"), memory, arguments, edges));
      for (std::uint32_t i = 0; i < edges; ++i) {
        if (hits[i] != 0) next.insert(targets[i]);
      }
      if (kernels_.contains("after")) {
        VYRE_TRY(const auto kept, over("after", next));
        std::set<std::uint32_t> left;
        std::size_t i = 0;
        for (const std::uint32_t v : next) {
          if (kept[i++] != 0) left.insert(v);
        }
        next = std::move(left);
      }
    }
    frontier = std::move(next);
  }
  memory.out.ended = frontier.empty();
  return std::move(memory.out);
}

}  // namespace vyre
