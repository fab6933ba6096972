// One way to run a problem on the GPU: buffers of its own, and a dispatch to launch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "entry.h"
#include "problem.h"
#include "vyre/engine/session.h"

namespace vyre::bench {

class Side {
 public:
  // Our own code from the WGSL text.
  static Result<Side> of_wgsl(const Session& session, const Problem& problem, std::string text,
                              std::optional<Variant> variant);
  // nvcc's, out of a cubin.
  static Result<Side> of_cubin(const Session& session, const Problem& problem,
                               std::vector<std::byte> cubin);

  const Dispatch& dispatch() const { return dispatch_; }
  // What is wrong with the result of one run; empty when nothing is.
  Result<std::string> wrong_result();
  // The device's time of one launch, in microseconds, as the mean of `launches` of them.
  Result<double> time(unsigned launches);

 private:
  Side(Session session, const Problem& problem)
      : session_(std::move(session)), problem_(&problem) {}
  Result<void> make_buffers();
  std::vector<Binding> bindings(bool uniforms) const;

  Session session_;
  const Problem* problem_;
  std::vector<Buffer> buffers_;
  Dispatch dispatch_;
};

}  // namespace vyre::bench
