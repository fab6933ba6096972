#include "vyre/tune/online/regret_ledger.h"

#include <algorithm>

namespace vyre {
namespace {

// Steps are planned with this share of the bound; the rest is for surprises.
constexpr double kPlanned = 0.8;
// A search must not lose within a few calls what it was allowed to lose over many. The allowance
// counts in the first window of calls. After that, a window may lose the share kEarned of its bound
// while it lasts, and at most the share kSaved can have been saved up before it.
constexpr double kWindow = 1000;  // calls
constexpr double kSaved = 0.35, kEarned = 0.35;
// A step that costs more than can ever be saved up is allowed at this share of the most savings.
constexpr double kSavedEnough = 0.7;
constexpr double kMostOfOneStep = 0.75;  // the share of a window's bound that one step may cost

}  // namespace

bool RegretLedger::in_first_window() const { return calls_ <= kWindow; }

double RegretLedger::most_saved_ns() const { return kSaved * share_ * kWindow * call_ns_; }

double RegretLedger::whole_room_ns() const {
  return kPlanned * (allowance_ns_ + share_ * spent_ns_) - lost_ns_ - doubted_ns_ - held_ns_;
}

double RegretLedger::room_ns() const {
  if (in_first_window()) return whole_room_ns();
  return std::min(whole_room_ns(), saved_ns_ - held_ns_);
}

// A step that costs more than can be saved up waits for the share kSavedEnough of the savings. The
// full savings are never reached, because asking costs something as well.
double RegretLedger::missing_ns(double cost_ns) const {
  const double missing_ns = cost_ns - whole_room_ns();
  if (in_first_window()) return missing_ns;
  return std::max(missing_ns, std::min(cost_ns, kSavedEnough * most_saved_ns()) - room_ns());
}

bool RegretLedger::is_too_much(double cost_ns) const {
  return call_ns_ > 0 && cost_ns > kMostOfOneStep * share_ * kWindow * call_ns_;
}

void RegretLedger::set_allowance() {
  if (allowance_ns_ != 0 || !(call_ns_ > 0)) return;
  allowance_ns_ = std::min(most_allowance_ns_, allowance_calls_ * call_ns_);
}

void RegretLedger::resume(double spent_ns, double lost_ns) {
  spent_ns_ = std::max(0.0, spent_ns);
  lost_ns_ = std::max(0.0, lost_ns);
  if (call_ns_ > 0) calls_ += spent_ns_ / call_ns_;
}

void RegretLedger::spend(double ns) {
  spent_ns_ += ns;
  saved_ns_ = std::min(saved_ns_ + kEarned * share_ * ns, most_saved_ns());
}

// The losses of the first window are paid by the allowance, and are not taken from later savings.
void RegretLedger::take_from_saved(double ns) {
  if (ns < 0) {
    saved_ns_ = std::min(saved_ns_ - ns, most_saved_ns());
  } else if (!in_first_window()) {
    saved_ns_ -= ns;
  }
}

void RegretLedger::lose(double ns) {
  lost_ns_ += ns;
  take_from_saved(ns);
}

void RegretLedger::doubt(double ns) {
  doubted_ns_ += ns;
  take_from_saved(ns);
}

void RegretLedger::lose_doubted(double ns) {
  doubted_ns_ -= ns;
  lost_ns_ += ns;
}

void RegretLedger::disturb_doubted(double ns) {
  doubted_ns_ -= ns;
  disturbed_ns_ += ns;
  take_from_saved(-ns);
}

// Before the allowance is set, the bound includes the allowance that would be set now. Before the
// length of a call is known, the bound is 0.
Ledger RegretLedger::view() const {
  const double by_now_ns = std::min(most_allowance_ns_, allowance_calls_ * call_ns_);
  const double allowance_ns = allowance_ns_ != 0 ? allowance_ns_ : by_now_ns;
  const double bound_ns = call_ns_ > 0 ? allowance_ns + share_ * spent_ns_ : 0;
  return {.spent_ns = spent_ns_,
          .lost_ns = lost_ns_,
          .bound_ns = bound_ns,
          .doubted_ns = doubted_ns_,
          .disturbed_ns = disturbed_ns_};
}

}  // namespace vyre
