// One problem on one device: its kernel, its data, and what it takes to run any variant of it.
#pragma once

#include <string>
#include <vector>

#include "median.h"
#include "problem.h"
#include "vyre/engine/session.h"

namespace vyre::bench {

class Setup {
 public:
  static Result<Setup> make(const Session& session, const Problem& problem);

  const Problem& problem() const { return *problem_; }
  const Kernel& kernel() const { return kernel_; }
  const Session& session() const { return session_; }
  std::span<const Binding> bindings() const { return bindings_; }
  // The invocations of the problem, or its workgroups where these work together.
  DispatchSize size() const { return size_; }

  // The data as it was at first.
  Result<void> reset() const;
  // What is wrong with the result of one run on fresh data; empty when nothing is.
  Result<std::string> wrong_result(const Dispatch& dispatch) const;
  // Nanoseconds of one launch, as the mean of `launches` of them.
  Result<double> time(const Dispatch& dispatch, unsigned launches) const;

 private:
  Setup(Session session, const Problem& problem)
      : session_(std::move(session)), problem_(&problem) {}

  Session session_;
  const Problem* problem_;
  Kernel kernel_;
  std::vector<Buffer> buffers_;
  std::vector<Binding> bindings_;
  DispatchSize size_;
};

// A variant with its time, as figures_of_rounds gives it of rounds in which all took their turn.
struct Timed {
  Variant variant;
  double ns = 0;
  double spread_ns = 0;
  std::string problem;  // why there is no time
};

struct Exhaustive {
  std::vector<Timed> all;  // in the order of the space
  std::size_t best = 0;
};

// Every variant is compiled, checked, and timed in `rounds` rounds of about `round_ns` each. Equal
// variants are timed once.
Result<Exhaustive> measure_all(const Setup& setup, const std::vector<Variant>& variants,
                               unsigned rounds, double round_ns);

}  // namespace vyre::bench
