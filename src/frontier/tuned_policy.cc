#include "vyre/frontier/tuned_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace vyre {
namespace {

constexpr const char* kSparse = "sparse_bps";
constexpr const char* kDense = "dense_bps";

ParameterAxis axis(const char* name, std::vector<std::uint16_t> values, std::uint16_t given) {
  if (std::ranges::find(values, given) == values.end()) values.push_back(given);
  std::ranges::sort(values);
  ParameterAxis out{.name = name, .values = {}};
  for (const std::uint16_t value : values) out.values.emplace_back(value);
  return out;
}

std::uint16_t number(const Choice& choice, const char* name) {
  return static_cast<std::uint16_t>(choice.number(name).value_or(0));
}

}  // namespace

Result<TunedPolicy> TunedPolicy::open(const TunedSubject& subject, const ResidentPolicy& policy,
                                      KernelTunerOptions options) {
  const std::uint16_t sparse = policy.sparse_frontier_threshold_bps;
  const std::uint16_t dense = policy.dense_frontier_threshold_bps;
  VYRE_TRY(std::vector<Configuration> candidates,
           combinations(
               {axis(kSparse, {100, 500}, sparse), axis(kDense, {500, 1000, 2000, 4000}, dense)},
               [&](const Choice& c) {
                 return number(c, kSparse) <= number(c, kDense) ||
                        (number(c, kSparse) == sparse && number(c, kDense) == dense);
               }));
  const auto given = std::ranges::find_if(candidates, [&](const Configuration& c) {
    const Choice choice(0, c);
    return number(choice, kSparse) == sparse && number(choice, kDense) == dense;
  });
  options.start = static_cast<std::uint32_t>(given - candidates.begin());
  const std::uint32_t mean = subject.edges / std::max(subject.vertices, 1U);
  const KernelKey key{.name = "graph program",
                      .version = to_hex(subject.program),
                      .size = fmt::format("{}x{}x{}", std::bit_ceil(std::max(subject.vertices, 1U)),
                                          std::bit_ceil(std::max(mean, 1U)),
                                          std::bit_ceil(std::max(subject.largest_degree, 1U))),
                      .device = subject.device,
                      .settings = fmt::format("workers={}", subject.workers)};
  VYRE_TRY(KernelTuner tuner, KernelTuner::open(key, std::move(candidates), std::move(options)));
  return TunedPolicy(std::move(tuner), policy);
}

TunedPolicy::Turn TunedPolicy::next() {
  Turn turn{policy_, tuner_.next()};
  turn.policy.sparse_frontier_threshold_bps = number(turn.call.choice, kSparse);
  turn.policy.dense_frontier_threshold_bps = number(turn.call.choice, kDense);
  return turn;
}

Result<void> TunedPolicy::report(const Turn& turn, std::optional<double> ns) {
  if (!turn.call.timed) return {};
  return ns ? tuner_.report(turn.call, *ns) : tuner_.abandon(turn.call);
}

}  // namespace vyre
