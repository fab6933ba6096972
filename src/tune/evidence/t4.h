// Results of tuning in the T4 format, version 1.0.0, that auto-tuners exchange: one JSON object
//
//   {"schema_version": "1.0.0",
//    "metadata": {"timeunit": "milliseconds", "vyre_key": {"program": ..., "size": ..., ...}},
//    "results": [{"timestamp": ..., "configuration": {...}, "objectives": ["time"],
//                 "times": {"runtimes": [...]}, "invalidity": "correct", "correctness": 1,
//                 "measurements": [{"name": "time", "value": ..., "unit": "ms"}]}, ...]}
//
// for one key. "metadata" is not part of the schema: other tuners write the unit there, and vyre
// writes the key. Without it times are milliseconds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/tune/evidence/evidence.h"

namespace vyre {

enum class T4Invalidity : std::uint8_t {
  correct,
  timeout,
  compile,
  runtime,
  correctness,
  constraints,
};
std::string_view to_string(T4Invalidity invalidity);

struct T4Result {
  std::string candidate;  // of its Configuration
  std::vector<double> runtimes_ns{};
  T4Invalidity invalidity = T4Invalidity::correct;
  double correctness = 1;
  std::string rejected{};  // vyre's reason why it is invalid
  std::int64_t at_ms = 0;  // 0: unknown
};

struct T4File {
  std::optional<TuningKey> key;  // present if vyre wrote the file
  std::vector<T4Result> results;
};

// Checks the rules of the schema, and that configurations can be candidates. Errors name the place,
// as in "results[3].times.runtimes[0]"; `name` is for messages.
Result<T4File> parse_t4(std::string_view text, const std::filesystem::path& name);

// Every candidate of the key that was measured or rejected.
std::string t4_text(const KeyState& state);

// The events for the results: times, rejections, and the promotion of the fastest. The reasons name
// `source`.
std::vector<EvidenceEvent> evidence_of(const T4File& file, std::string_view source);

}  // namespace vyre
