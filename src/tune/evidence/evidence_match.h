// Which remembered key is the best answer or hint for another.
#pragma once

#include <optional>

#include "vyre/tune/evidence/evidence_fold.h"

namespace vyre {

// Exact; then of the same bucket, the nearest size first; then a hint: another size of the same
// device, then another driver or code generator of it, then another device, each with the nearest
// size first. Among equals the one with the most samples, then the latest. States without a
// decision do not count. The distance of two sizes is the sum of the axes' |log2(a/b)|.
std::optional<Match> best_match(const KeyStates& states, const TuningKey& key);

}  // namespace vyre
