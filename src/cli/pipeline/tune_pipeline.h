// vyre tune with a pipeline: it runs until every launch has found its variant.
#pragma once

#include "vyre/cli/command.h"
#include "vyre/cli/tune/tune.h"

namespace vyre {

// Fails for options that `vyre tune` does not accept with a pipeline.
Result<void> check_tune_pipeline(const TuneOptions& options);
Exit tune_pipeline(const TuneOptions& options, Streams& streams);

}  // namespace vyre
