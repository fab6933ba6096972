// The functions of a graph program and the kernels that were made of them.
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "vyre/base/process/fork_watch.h"
#include "vyre/frontier/frontier.h"
#include "vyre/frontier/functions.h"
#include "vyre/frontier/synthesis.h"

namespace vyre {

class FrontierCode {
 public:
  static Result<std::shared_ptr<FrontierCode>> make(FrontierFunctions functions);
  explicit FrontierCode(FrontierFunctions made) : functions(std::move(made)) {}

  // Made at the first call for each kernel.
  Result<Kernel> kernel(FrontierKernel which, std::uint32_t lanes);

  const FrontierFunctions functions;
  std::vector<FrontierVariable> variables;
  bool folds_after = false;  // `after` may run in the kernel that pulls

 private:
  ForkSafeMutex mutex_;
  std::map<std::pair<FrontierKernel, std::uint32_t>, Kernel> kernels_;
};

// The code of the transpose, which belongs to no program.
FrontierCode& transpose_code();

}  // namespace vyre
