#include "replay.h"
#include "vyre/tune/decisions/natural_gradient_step.h"
#include "vyre/tune/decisions/workgroup_sweep.h"

namespace vyre {
namespace {

std::vector<Measurement> measurements_of(const Json& list) {
  std::vector<Measurement> measurements;
  for (const Json& item : to_list(list)) {
    const auto& pair = to_list(item);
    if (pair.size() != 2) throw MalformedVector("expected [[x, y, z], ns], got " + item.dump());
    measurements.push_back({to_extent(pair[0]), to_u64(pair[1])});
  }
  return measurements;
}

Json error_of(const PolicyError& error) {
  Json out{{"error", wire_name(error)}};
  if (const auto* shape = std::get_if<FisherShape>(&error)) {
    out["measurements"] = shape->measurements;
    out["cells"] = shape->cells;
  }
  return out;
}

Json replay_suggest(const Json& in) {
  const NaturalGradientPolicy policy{to_u64(at(in, "temperature_ns"))};
  const auto measurements = measurements_of(at(in, "measurements"));
  std::vector<std::uint32_t> matrix;
  for (const Json& cell : to_list(at(in, "fisher_inv_sqrt_q16"))) matrix.push_back(to_u32(cell));
  std::vector<std::uint32_t> weights(measurements.size());
  std::vector<std::uint32_t> gradient(measurements.size());
  const auto step = suggest(policy, measurements, matrix, weights, gradient);
  if (!step) return error_of(step.error());
  return {{"policy_weights_q16", weights},
          {"natural_gradient_q16", gradient},
          {"selected_workgroup_size", step->selected},
          {"best_measured_workgroup_size", step->best_measured},
          {"best_measured_elapsed_ns", step->best_measured_ns}};
}

Json replay_identity(const Json& in) {
  return {{"fisher_inv_sqrt_q16", identity_matrix_q16(to_u64(at(in, "candidate_count")))}};
}

Json replay_best_of(const Json& in) {
  const auto measurements = measurements_of(at(in, "measurements"));
  std::vector<Extent> candidates;
  for (const Measurement& measurement : measurements) candidates.push_back(measurement.workgroup);
  std::size_t next = 0;
  const auto best =
      sweep_best_of(candidates, [&](const Extent&) -> std::expected<std::uint64_t, int> {
        return measurements[next++].elapsed_ns;
      });
  if (!best.value()) return {{"best", nullptr}};
  return {{"best", Json::array({(*best)->workgroup, (*best)->elapsed_ns})}};
}

const ReplayFamily family{"tuner_suggest",
                          {{"suggest", replay_suggest, "temperature_ns"},
                           {"identity", replay_identity},
                           {"best_of", replay_best_of}}};

}  // namespace
}  // namespace vyre
