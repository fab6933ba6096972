// Launch values in the form of the vectors.
#pragma once

#include "replay.h"
#include "vyre/plan/error.h"
#include "vyre/plan/program_facts.h"
#include "vyre/plan/specification/dispatch_config.h"
#include "vyre/target/limits.h"
#include "vyre/tune/decisions/candidates.h"
#include "vyre/tune/tuning_mode.h"

namespace vyre {

Limits limits_from(const Json& value);
DispatchConfig config_from(const Json& value);
TunerMode mode_from(const Json& value);
Digest fingerprint_from(const Json& value);
ProgramFacts program_from(const Json& value);
Measurement measurement_from(const Json& value);

Json to_json(const PlanError& error);  // kind, class and the fields the vectors compare

}  // namespace vyre
