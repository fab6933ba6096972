#include "replay.h"
#include "vyre/tune/decisions/decision_cache.h"
#include "vyre/tune/decisions/decision_keys.h"

namespace vyre {
namespace {

Digest fingerprint_of(const Json& in) {
  const auto digest = digest_from_hex(to_text(at(in, "fingerprint")));
  if (!digest) throw MalformedVector("the fingerprint is not 64 hex digits");
  return *digest;
}

Json replay_program_key(const Json& in) {
  const ProgramShape shape{to_extent(at(in, "workgroup_size")),
                           to_optional_extent(at(in, "workgroup_count")),
                           to_u64(at(in, "output_bytes"))};
  return {{"key", program_key(fingerprint_of(in), shape).view()}};
}

Json replay_launch_key(const Json& in) {
  const Json& limits_in = at(in, "limits");
  const Limits limits{
      to_text(at(limits_in, "backend")), to_u32(at(limits_in, "max_threads_per_block")),
      to_extent(at(limits_in, "max_block_dim")), to_extent(at(limits_in, "max_grid_dim"))};
  const auto key = feedback_key(fingerprint_of(in), to_extent(at(in, "declared")),
                                to_u32(at(in, "element_count")), limits);
  return {{"key", key.view()}};
}

Json replay_vsa_words(const Json& in) { return {{"words", fingerprint_words(fingerprint_of(in))}}; }

Json replay_cache_path(const Json& in) {
  const auto variable = [&in](std::string_view name) -> std::optional<std::string> {
    const Json& value = at(in, name);
    if (value.is_null()) return std::nullopt;
    return to_text(value);
  };
  const CacheEnvironment environment{variable("xdg_cache_home"), variable("home")};
  return {{"path", decision_cache_path(environment, to_text(at(in, "adapter"))).string()}};
}

const ReplayFamily family{"tuner_keys",
                          {{"program_key", replay_program_key},
                           {"launch_key", replay_launch_key},
                           {"vsa_words", replay_vsa_words},
                           {"cache_path", replay_cache_path}}};

}  // namespace
}  // namespace vyre
