// Runs the interpreter's code, one invocation at a time.
#pragma once

#include <cstdint>
#include <functional>

#include "vyre/ir/interpret/interpret_code.h"

namespace vyre {

struct Invocation {
  std::byte* memory = nullptr;  // FlatCode::invocation_bytes
  std::uint32_t next = 0;       // instruction
  std::uint32_t barrier = 0;    // where it waits
  bool at_barrier = false;      // waits there
  bool in_subgroup = false;     // waits at the subgroup operation before `next`
  bool ended = false;
};

class Machine {
 public:
  enum class Stop : std::uint8_t { end, barrier, subgroup, budget, cancelled };

  Machine(const FlatCode& code, const TypeTable& types, std::uint64_t step_budget,
          const std::function<bool()>& cancelled);

  // Runs until the invocation ends, waits at a barrier or a subgroup operation, or must stop.
  Stop run(Invocation& invocation);

  std::uint64_t steps() const { return steps_; }

 private:
  static constexpr std::uint64_t kInterval = 1U << 16U;  // steps between two tests of the budget

  // Whether it may continue. Called when steps_ has reached ask_at_.
  bool may_go_on();
  void apply(const ApplyCall& call, std::byte* memory) const;
  void store_parts(const CopyPlan& plan, std::byte* to, const std::byte* from) const;

  const FlatCode& code_;
  const TypeTable& types_;
  const std::uint64_t step_budget_;
  const std::function<bool()>& cancelled_;
  std::uint64_t steps_ = 0;
  std::uint64_t ask_at_ = 0;
  Stop reason_ = Stop::end;
};

}  // namespace vyre
