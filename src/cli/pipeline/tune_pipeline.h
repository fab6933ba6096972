// vyre tune with a pipeline: it runs until every launch has found its variant.
#pragma once

#include "vyre/cli/command.h"
#include "vyre/cli/tune/tune.h"

namespace vyre {

// What `vyre tune` does not understand of a pipeline.
Result<void> check_tune_pipeline(const TuneOptions& options);
Exit tune_pipeline(const TuneOptions& options, Streams& streams);

}  // namespace vyre
