// Which functions of a program are emitted where they are called, and which once, as functions.
//
// A small program is emitted whole: every call is expanded where it stands, so that whatever is
// known at the call is known inside. Beyond a budget that would make code, and the time to compile
// it, grow exponentially with the depth of calls. Functions with barriers are expanded always,
// because a barrier splits the code of its callers too.
#pragma once

#include <cstdint>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/ir/program.h"

namespace vyre {

// What a function and the functions that it calls need from the kernel around them.
struct FunctionNeeds {
  std::vector<GlobalId> globals;  // ascending
  std::uint32_t ids = 0;          // a bit for each InvocationIdKind
  bool barrier = false;
  bool subgroup = false;  // operations
  // It has loops, or so many statements that the stop flag is tested between them.
  bool may_stop = false;
  std::vector<bool> used;  // by LocalId, of the function alone: whether some expression names it
};

struct CallPlan {
  std::vector<FunctionNeeds> needs;  // by FunctionId
  std::vector<bool> outlined;        // by FunctionId: emitted as a function of its own
  // Larger elementary functions (sin, pow) are emitted once, as functions.
  bool elementary_once = false;
  // Statements and expressions of the entry, with those of the calls that are expanded in it.
  std::uint64_t nodes = 0;
  // The program is so large that it gets only a body with checks, because a second body without
  // them would double the code.
  bool one_body = false;
};

// Fails if functions with barriers would expand to more code than can be compiled in reasonable
// time.
Result<CallPlan> plan_calls(const Program& program);

// sin, pow and the like, but not those that are an instruction or two.
bool is_large_elementary(MathFn fn);

}  // namespace vyre
