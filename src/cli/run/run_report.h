// The record of a run for people and as JSON.
#pragma once

#include "vyre/cli/json_text.h"
#include "vyre/cli/run/run_buffers.h"
#include "vyre/cli/run/run_record.h"

namespace vyre {

const RunBuffer& buffer_named(const RunPlan& plan, const std::string& name);

// Fails for prints that are too long for JSON.
Result<void> check_print_sizes(const RunPlan& plan, const RunOptions& options);

void print_run(Output& out, const Kernel& kernel, const RunPlan& plan, const RunOptions& options,
               const RunRecord& record);
Json run_json(const Kernel& kernel, const RunPlan& plan, const RunOptions& options,
              const RunRecord& record);

// One line for each difference that is shown, and how many there are.
void print_differences(Output& out, const RunRecord& record);

}  // namespace vyre
