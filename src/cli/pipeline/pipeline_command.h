// `vyre run` and `vyre plan` with a pipeline instead of a kernel.
#pragma once

#include "vyre/cli/run/run.h"

namespace vyre {

bool names_pipeline(const RunOptions& options);
// Fails for options of kernels that are given with a pipeline, and for options of pipelines that
// are given with a kernel.
Result<void> check_pipeline_options(const RunOptions& options);

Exit run_pipeline(const RunOptions& options, Streams& streams);
Exit plan_pipeline_file(const RunOptions& options, Streams& streams);

}  // namespace vyre
