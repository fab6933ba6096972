#include <algorithm>
#include <filesystem>

#include "launch_fields.h"
#include "vyre/plan/specification/cold_start.h"
#include "vyre/plan/specification/logical_launch.h"

namespace vyre {
namespace {

Json estimate_case(const Json& in) {
  const std::uint32_t width = to_u32(at(in, "candidate_x"));
  if (width == 0) throw MalformedVector("candidate_x is 0");
  return {{"latency_ns", estimated_ns(to_u32(at(in, "element_count")), width)}};
}

Json fits_limits_case(const Json& in) {
  return {{"fits", fits_limits(to_u32(at(in, "candidate_x")), limits_from(at(in, "limits")))}};
}

Json select_case(const Json& in) {
  std::vector<Measurement> measured;
  if (const Json& given = at(in, "measurements"); !given.is_null()) {
    for (const Json& item : to_list(given)) measured.push_back(measurement_from(item));
    std::ranges::sort(measured, {}, &Measurement::workgroup);
  }
  return {{"workgroup", from_optional_extent(select_workgroup(
                            to_extent(at(in, "declared")), to_u32(at(in, "element_count")),
                            limits_from(at(in, "limits")), measured))}};
}

Json tunable_case(const Json& in) {
  return {{"tunable", eligibility(program_from(at(in, "program")), to_extent(at(in, "declared")),
                                  to_u32(at(in, "element_count"))) == Ineligible::none}};
}

Json resolve_case(const Json& in) {
  const ScratchDirectory scratch;
  Adapter adapter = make_adapter(limits_from(at(in, "limits")));
  adapter.decisions = scratch.file("decisions.toml");
  LaunchFeedback feedback;
  const WorkgroupChoice choice =
      resolve_workgroup(program_from(at(in, "program")), config_from(at(in, "config")), adapter,
                        to_u32(at(in, "element_count")), mode_from(at(in, "mode")), feedback);
  return {{"workgroup", choice.workgroup}};
}

// The tables of a sequence, and what its operations change.
class Sequence {
 public:
  explicit Sequence(const Json& in) {
    for (const Json& program : to_list(at(in, "programs")))
      programs_.push_back(program_from(program));
    for (const Json& config : to_list(at(in, "configs"))) configs_.push_back(config_from(config));
    for (const Json& limits : to_list(at(in, "limits"))) {
      Adapter adapter = make_adapter(limits_from(limits));
      adapter.decisions = scratch_.file(std::to_string(adapters_.size()) + ".toml");
      adapters_.push_back(std::move(adapter));
    }
  }

  Json run(const Json& op) {
    const std::string& name = to_text(at(op, "op"));
    if (name == "resolve") return resolve(op);
    if (name == "record") return record(op);
    if (name == "fill") return fill(op);
    if (name == "forget_memory") {
      feedback_.forget_memory();
      return Json::object();
    }
    if (name == "delete_store") {
      std::filesystem::remove(entry(adapters_, op, "limits").decisions);
      return Json::object();
    }
    throw MalformedVector("unknown operation " + op.dump());
  }

 private:
  template <class T>
  static const T& entry(const std::vector<T>& table, const Json& op, std::string_view field) {
    const std::size_t index = to_u32(at(op, field));
    if (index >= table.size()) throw MalformedVector("not in the tables: " + op.dump());
    return table[index];
  }

  Json resolve(const Json& op) {
    const WorkgroupChoice choice =
        resolve_workgroup(entry(programs_, op, "program"), entry(configs_, op, "config"),
                          entry(adapters_, op, "limits"), to_u32(at(op, "element_count")),
                          mode_from(at(op, "mode")), feedback_);
    return {{"workgroup", choice.workgroup}};
  }

  Json record(const Json& op) {
    const LaunchObservation observation{
        entry(configs_, op, "config"), to_u32(at(op, "element_count")),
        to_extent(at(op, "observed_workgroup")), to_u64(at(op, "elapsed_ns"))};
    const RecordAnswer answer =
        feedback_.record(entry(programs_, op, "program"), entry(adapters_, op, "limits"),
                         observation, mode_from(at(op, "mode")));
    return {{"accepted", answer.accepted()}};
  }

  Json fill(const Json& op) {
    const std::uint32_t first = to_u32(at(op, "first"));
    const std::uint32_t count = to_u32(at(op, "count"));
    if (configs_.empty()) throw MalformedVector("there is no config 0");
    ProgramFacts program;
    program.workgroup = to_extent(at(op, "workgroup_size"));
    program.entry_nonempty = true;
    Json workgroup = nullptr;
    for (std::uint32_t i = 0; i < count; ++i) {
      for (int byte = 0; byte < 4; ++byte)
        program.fingerprint.bytes[byte] = static_cast<std::uint8_t>((first + i) >> 8 * (3 - byte));
      const WorkgroupChoice choice = resolve_workgroup(
          program, configs_[0], entry(adapters_, op, "limits"), to_u32(at(op, "element_count")),
          TunerMode::natural_gradient, feedback_);
      if (i > 0 && workgroup != choice.workgroup) return {{"workgroup", "not all the same"}};
      workgroup = choice.workgroup;
    }
    return {{"workgroup", workgroup}};
  }

  ScratchDirectory scratch_;
  std::vector<ProgramFacts> programs_;
  std::vector<DispatchConfig> configs_;
  std::vector<Adapter> adapters_;
  LaunchFeedback feedback_;
};

Json sequence_case(const Json& in) {
  Sequence sequence(in);
  Json results = Json::array();
  for (const Json& op : to_list(at(in, "ops"))) results.push_back(sequence.run(op));
  return {{"results", results}};
}

const ReplayFamily family{"launch_cold_start",
                          {{"estimate", estimate_case},
                           {"fits_limits", fits_limits_case},
                           {"select", select_case},
                           {"tunable", tunable_case},
                           {"resolve", resolve_case},
                           {"sequence", sequence_case, "programs"}}};

}  // namespace
}  // namespace vyre
