// The candidate with which a search begins, according to the evidence of earlier runs. Serving,
// planning and searching all ask this one function, so that they agree.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "vyre/tune/evidence/evidence.h"

namespace vyre {

struct Opening {
  enum class From : std::uint8_t {
    nothing,    // no evidence names a candidate that can serve
    pin,        // a person chose this candidate, and nothing else is served
    evidence,   // it was decided for this key, or for its size bucket
    hint,       // it was decided for a near key
    untunable,  // the program must not be tuned: it runs as without evidence
  };
  From from = From::nothing;
  std::optional<std::uint32_t> candidate{};  // with pin, evidence and hint
  std::optional<MatchKind> match{};          // how near the evidence is; absent: there is none
  std::string text{};                        // one sentence for a person
  std::string untunable{};                   // why the program must not be tuned; empty: it may be
};

// `candidates` are texts of configurations. Without a store nothing is known.
Opening opening_of(const EvidenceStore* store, const TuningKey& key,
                   std::span<const std::string> candidates);

}  // namespace vyre
