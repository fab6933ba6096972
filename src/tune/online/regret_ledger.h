// The ledger of a search: what it has cost the program, and what it may cost.
//
// The bound: the expected loss against a program without a tuner, which would run the declared
// variant or the best one known, whichever is faster, stays below `share` of the time spent plus a
// first allowance, by the tuner's own estimate. A step is taken only where the most that it is
// expected to cost fits, and that much is held back until the step is over.
//
// A time far above every expectation means a slow candidate or a machine that stood still. Until
// another time decides, it is in doubt: not yet counted as lost, but held back like a loss.
#pragma once

#include <cstdint>

namespace vyre {

struct Ledger {
  double spent_ns = 0;  // in all calls; a call that was not timed counts as the incumbent's time
  double lost_ns = 0;
  double bound_ns = 0;  // the most that may be lost by now
  double doubted_ns = 0;
  // Time in pauses of the machine that a step met. The incumbent's own calls meet such pauses as
  // well, so they are neither a loss of the search nor a sign of a slow candidate.
  double disturbed_ns = 0;
};

class RegretLedger {
 public:
  // The allowance is the smaller of `allowance_ns` and `allowance_calls` calls.
  RegretLedger(double share, double allowance_ns, double allowance_calls)
      : share_(share), most_allowance_ns_(allowance_ns), allowance_calls_(allowance_calls) {}

  // The time of a call, as far as it is known; 0: it is not.
  void set_call_ns(double ns) { call_ns_ = ns; }
  // Fixes the allowance, from the present time of a call.
  void set_allowance();
  // Continues the ledger of an earlier process.
  void resume(double spent_ns, double lost_ns);

  void count_calls(std::uint64_t calls) { calls_ += static_cast<double>(calls); }
  void spend(double ns);
  void lose(double ns);  // a negative loss gives back what was charged too much
  void hold(double ns) { held_ns_ += ns; }
  void release(double ns) { held_ns_ -= ns; }
  void doubt(double ns);
  void disturb(double ns) { disturbed_ns_ += ns; }
  // Ends a doubt.
  void lose_doubted(double ns);
  void disturb_doubted(double ns);

  // How much may be lost now; below 0: too much is lost or held back already.
  double room_ns() const;
  // By how much the room must grow before a step of this cost fits; 0 or less: it fits now.
  double missing_ns(double cost_ns) const;
  bool may_lose(double cost_ns) const { return missing_ns(cost_ns) <= 0; }
  // Whether one such step costs more than a thousand calls may lose.
  bool is_too_much(double cost_ns) const;
  // Whether more is lost than the bound allows.
  bool is_spent() const { return whole_room_ns() < 0; }

  double spent_ns() const { return spent_ns_; }
  double lost_ns() const { return lost_ns_; }
  Ledger view() const;

 private:
  bool in_first_window() const;
  double whole_room_ns() const;
  void take_from_saved(double ns);
  double most_saved_ns() const;

  double share_ = 0, most_allowance_ns_ = 0, allowance_calls_ = 0;
  double call_ns_ = 0;
  double allowance_ns_ = 0;
  double calls_ = 0;  // with those of earlier processes
  double spent_ns_ = 0, lost_ns_ = 0, held_ns_ = 0, doubted_ns_ = 0, disturbed_ns_ = 0;
  double saved_ns_ = 0;  // what may be lost soon
};

}  // namespace vyre
