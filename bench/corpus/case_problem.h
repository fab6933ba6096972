// A case of the corpus as a problem, whose results are those of its C++ twin in double precision.
#pragma once

#include "case.h"
#include "problem.h"
#include "registry.h"

namespace vyre::bench {

struct CaseProblem {
  Problem problem;
  Twin twin;
};
Result<CaseProblem> make_case_problem(const std::filesystem::path& file, CaseSize size);

}  // namespace vyre::bench
