#include "launch_fields.h"

#include "vyre/base/overloaded.h"

namespace vyre {

Limits limits_from(const Json& value) {
  return {to_text(at(value, "backend")), to_u32(at(value, "max_threads_per_block")),
          to_extent(at(value, "max_block_dim")), to_extent(at(value, "max_grid_dim"))};
}

DispatchConfig config_from(const Json& value) {
  DispatchConfig config;
  config.workgroup_override = to_optional_extent(at(value, "workgroup_override"));
  config.grid_override = to_optional_extent(at(value, "grid_override"));
  return config;
}

TunerMode mode_from(const Json& value) {
  const std::string& name = to_text(value);
  for (const TunerMode mode : {TunerMode::sweep, TunerMode::natural_gradient,
                               TunerMode::cached_or_default, TunerMode::frozen}) {
    if (wire_name(mode) == name) return mode;
  }
  throw MalformedVector("unknown mode " + value.dump());
}

Digest fingerprint_from(const Json& value) {
  const auto digest = digest_from_hex(to_text(value));
  if (!digest) throw MalformedVector("expected 64 hex digits, got " + value.dump());
  return *digest;
}

ProgramFacts program_from(const Json& value) {
  ProgramFacts facts;
  facts.fingerprint = fingerprint_from(at(value, "fingerprint"));
  facts.workgroup = to_extent(at(value, "workgroup_size"));
  facts.entry_nonempty = to_bool(at(value, "entry_nonempty"));
  facts.non_composable_with_self = to_bool(at(value, "non_composable_with_self"));
  facts.uses_launch_geometry_ids = to_bool(at(value, "uses_launch_geometry_ids"));
  facts.contains_atomic = to_bool(at(value, "contains_atomic"));
  facts.has_shared_buffer = to_bool(at(value, "has_shared_buffer"));
  return facts;
}

Measurement measurement_from(const Json& value) {
  const auto& pair = to_list(value);
  if (pair.size() != 2) throw MalformedVector("expected [[x, y, z], ns], got " + value.dump());
  return {to_extent(pair[0]), to_u64(pair[1])};
}

Json to_json(const PlanError& error) {
  Json out = {{"error", wire_name(error)}, {"class", wire_class(error)}};
  const auto axis_fields = [&](const auto& e) {
    out["axis"] = e.axis;
    out["requested"] = e.requested;
    out["max"] = e.max;
  };
  std::visit(Overloaded{[&](const TooManyThreads& e) {
                          out["threads"] = e.threads;
                          out["max"] = e.max;
                        },
                        [&](const WorkgroupAxisLimit& e) { axis_fields(e); },
                        [&](const GridAxisLimit& e) { axis_fields(e); }, [](const auto&) {}},
             error);
  return out;
}

}  // namespace vyre
