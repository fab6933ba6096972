// What compiling a candidate beside the calls of a program costs these calls.
//
// The compiler takes a processor from them, so they lose at most the processor time that it needs.
// If there are idle processors they lose far less: how much is measured in the calls meanwhile.
#pragma once

#include <atomic>

namespace vyre {

class CompileCost {
 public:
  // The most that calls are expected to lose while the next candidate is compiled.
  double most_ns() const { return longest_ns_ * share_; }
  // A candidate was compiled in this processor time.
  void compiled(double work_ns);
  double compile_ns() const { return compile_ns_; }  // of the last one; 0: none yet
  // A call that usually takes `usual_ns` took `ns` while something was compiled.
  void add_call(double usual_ns, double ns);
  // Returns what calls have lost since the last time, while the compiler needed `work_ns`.
  double take_lost(double work_ns);

 private:
  std::atomic<double> compile_ns_{0};
  std::atomic<double> longest_ns_{15e6};  // a guess, until one was compiled
  std::atomic<double> share_{1};          // the largest part of the compiler's time that calls lost
  std::atomic<double> slowed_ns_{0};
};

}  // namespace vyre
