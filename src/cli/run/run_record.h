// The record of one run, which run_report prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vyre/base/extent.h"
#include "vyre/cli/run/compare.h"
#include "vyre/cli/run/timing.h"
#include "vyre/plan/launch_plan.h"
#include "vyre/target/variant.h"

namespace vyre {

struct Written {
  std::string name, path;
  std::uint64_t bytes = 0;
};

// How a kernel was compiled; absent for the interpreter.
struct CompiledCode {
  Variant variant;
  std::string source;  // "compiled", "disk" (the code cache)
  std::uint64_t prepare_ns = 0;
  std::uint64_t search_ns = 0;  // mode `on`: of measuring candidates before the first launch
  bool brief = false;           // too large for all optimisations
};

struct Verification {
  Tolerance tolerance;
  Comparison comparison;
  std::uint64_t buffers = 0;
  std::uint64_t elapsed_ns = 0;  // of the interpreter
};

struct RunRecord {
  std::string device;
  std::optional<LaunchPlan> launch;  // of the run whose results are shown; absent for interp
  Extent grid{}, workgroup{};
  std::uint64_t invocations = 0;
  std::optional<std::uint64_t> steps;  // the interpreter counts them
  std::uint64_t elapsed_ns = 0;        // of the run whose results are shown
  std::optional<CompiledCode> code;
  std::optional<Timing> timing;
  std::uint64_t moved_bytes = 0;  // every buffer read or written once, those that are both twice
  std::optional<Verification> verification;
  std::vector<Written> written;
};

}  // namespace vyre
