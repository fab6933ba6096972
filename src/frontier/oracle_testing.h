// Runs a graph program with the interpreter, edge by edge and round after round. It knows nothing
// of topologies, queues or bits; its result is what each of them must compute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "vyre/data/graph/graph.h"
#include "vyre/frontier/frontier.h"
#include "vyre/ir/kernel.h"

namespace vyre {

struct OracleResult {
  std::map<std::string, std::vector<std::byte>> state;  // by variable
  std::vector<std::vector<std::uint32_t>> frontiers;    // of each round, ascending
  bool ended = false;
};

class FrontierOracle {
 public:
  explicit FrontierOracle(const FrontierProgram& program);

  // `state` has contents for variables that do not begin as FrontierFill says.
  Result<OracleResult> run(const GraphData& graph, const FrontierRun& run,
                           const std::map<std::string, std::vector<std::byte>>& state = {});

 private:
  struct Memory;
  Result<std::vector<std::uint32_t>> call(const Kernel& kernel, Memory& memory,
                                          const std::vector<std::uint32_t>& arguments,
                                          std::uint32_t count);

  std::shared_ptr<FrontierCode> code_;
  std::map<std::string, Kernel> kernels_;
};

}  // namespace vyre
