#include "vyre/tune/search/search_landscape_testing.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "vyre/tune/search/search_random.h"

namespace vyre {
namespace {

// Smooth along the values, with a step at one of them.
std::vector<double> effects(SearchRandom& random, std::uint32_t values, double strength) {
  std::vector<double> out;
  const double best = random.unit();
  const std::uint32_t kink = random.below(values);
  for (std::uint32_t v = 0; v < values; ++v) {
    const double place = static_cast<double>(v) / std::max(1U, values - 1);
    out.push_back(strength * ((place - best) * (place - best) * 2 + (v == kink ? 0.3 : 0.0)));
  }
  return out;
}

std::string values_text(const Configuration& configuration) {
  std::string text;
  for (const auto& [name, value] : configuration) text += (text.empty() ? "" : ",") + value;
  return text;
}

std::string samples_text(const Recording& recording) {
  std::string text;
  for (const float sample : recording.samples_ns) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", sample * 1e-6);
  }
  return text;
}

}  // namespace

RecordedSpace make_landscape(const LandscapeOptions& options) {
  SearchRandom random(options.seed * 7919);
  const std::uint32_t dimensions = options.parameters;
  std::vector<SearchParameter> parameters;
  std::vector<std::vector<double>> alone;
  for (std::uint32_t p = 0; p < dimensions; ++p) {
    SearchParameter parameter{.name = fmt::format("p{}", p), .values = {}};
    for (std::uint32_t v = 0; v < options.values; ++v) {
      parameter.values.push_back(fmt::format("{}", 1U << v));
    }
    parameters.push_back(std::move(parameter));
    alone.push_back(effects(random, options.values, std::exp2(random.unit() * 3 - 1.5)));
  }
  // Neighbouring parameters act together: their products should be in the middle.
  std::vector<double> together;
  for (std::uint32_t p = 0; p + 1 < dimensions; ++p) together.push_back(random.unit());

  RecordedSpace out;
  std::vector<std::uint16_t> rows, row(dimensions);
  std::uint64_t all = 1;
  for (std::uint32_t p = 0; p < dimensions; ++p) all *= options.values;
  for (std::uint64_t i = 0; i < all; ++i) {
    std::uint64_t rest = i;
    double cost = 0;
    for (std::uint32_t p = 0; p < dimensions; ++p) {
      row[p] = static_cast<std::uint16_t>(rest % options.values);
      rest /= options.values;
      cost += alone[p][row[p]];
    }
    for (std::uint32_t p = 0; p + 1 < dimensions; ++p) {
      const double sum = (row[p] + row[p + 1]) / (2.0 * std::max(1U, options.values - 1));
      cost += together[p] * std::abs(sum - 0.5) * 2;
    }
    cost += 0.05 * random.unit();
    if (random.unit() < options.missing) continue;
    rows.insert(rows.end(), row.begin(), row.end());
    Recording recording{
        .cost_ns = 1e5 * std::exp(cost), .samples_ns = {}, .compile_ns = 1e9, .benchmark_ns = 1e8};
    if (random.unit() < options.failing) recording.cost_ns.reset();
    for (int s = 0; s < 8 && recording.cost_ns; ++s) {
      recording.samples_ns.push_back(
          static_cast<float>(*recording.cost_ns * (0.98 + 0.04 * random.unit())));
    }
    out.recordings.push_back(std::move(recording));
  }
  out.space = *SearchSpace::make(std::move(parameters), std::move(rows));
  for (std::uint32_t i = 0; i < out.space.size(); ++i) {
    const auto& best = out.recordings[out.best].cost_ns;
    const auto& cost = out.recordings[i].cost_ns;
    if (cost && (!best || *cost < *best)) out.best = i;
  }
  return out;
}

std::string kernel_tuner_text(const RecordedSpace& recorded) {
  std::string names, entries;
  for (const SearchParameter& parameter : recorded.space.parameters()) {
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", parameter.name);
  }
  for (std::uint32_t i = 0; i < recorded.space.size(); ++i) {
    const Recording& recording = recorded.recordings[i];
    const Configuration configuration = recorded.space.configuration(i);
    std::string fields;
    for (const auto& [name, value] : configuration)
      fields += fmt::format("\"{}\": {}, ", name, value);
    const std::string time = recording.cost_ns ? fmt::format("{}", *recording.cost_ns * 1e-6)
                                               : "\"RuntimeFailedConfig\"";
    entries += fmt::format(
        "{}\"{}\": {{{}\"time\": {}, \"times\": [{}], \"compile_time\": {}, "
        "\"benchmark_time\": {}, \"framework_time\": 1.5}}",
        entries.empty() ? "" : ",\n", values_text(configuration), fields, time,
        samples_text(recording), recording.compile_ns * 1e-6, recording.benchmark_ns * 1e-6);
  }
  return fmt::format(
      "{{\"device_name\": \"Made up\", \"kernel_name\": \"landscape\", \"problem_size\": [64, "
      "64],\n"
      "\"tune_params_keys\": [{}], \"tune_params\": {{}}, \"objective\": \"time\",\n"
      "\"cache\": {{\n{}}}\n}}\n",
      names, entries);
}

std::string t4_text(const RecordedSpace& recorded) {
  std::string results;
  for (std::uint32_t i = 0; i < recorded.space.size(); ++i) {
    const Recording& recording = recorded.recordings[i];
    std::string fields;
    for (const auto& [name, value] : recorded.space.configuration(i)) {
      fields += fmt::format("{}\"{}\": {}", fields.empty() ? "" : ", ", name, value);
    }
    results += fmt::format(
        "{}{{\"configuration\": {{{}}}, \"times\": {{\"compilation\": {}, \"runtimes\": [{}]}}, "
        "\"invalidity\": \"{}\", \"correctness\": {}, \"measurements\": [{{\"name\": \"time\", "
        "\"value\": {}, \"unit\": \"\"}}], \"objectives\": [\"time\"]}}",
        results.empty() ? "" : ",\n", fields, recording.compile_ns * 1e-6, samples_text(recording),
        recording.cost_ns ? "correct" : "runtime", recording.cost_ns ? 1 : 0,
        recording.cost_ns ? fmt::format("{}", *recording.cost_ns * 1e-6)
                          : "\"RuntimeFailedConfig\"");
  }
  return fmt::format("{{\"metadata\": {{\"timeunit\": \"miliseconds\"}}, \"results\": [\n{}]}}\n",
                     results);
}

}  // namespace vyre
