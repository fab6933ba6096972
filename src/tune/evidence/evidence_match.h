// Finds the best answer or hint for a key among the known keys.
#pragma once

#include <optional>

#include "vyre/tune/evidence/evidence_fold.h"

namespace vyre {

// The order is: the key itself; the same bucket; then hints: another size on the same device,
// another driver or code generator, another device. Within each, the nearest size is preferred,
// then the most samples, then the latest. States without a decision do not count. The distance of
// two sizes is the sum of |log2(a/b)| over the axes.
std::optional<Match> best_match(const KeyStates& states, const TuningKey& key);

}  // namespace vyre
