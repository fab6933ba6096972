// Which values are the same for all lanes of a gang, and which need a lane of their own.
//
// A gang is W neighbours in x that run together. `group` values are the same in a whole workgroup,
// `gang` values are the same in one gang (a row's y, a value loaded at a uniform address), and
// `lane` values may differ between lanes. A call that is expanded is analysed where it stands, with
// a frame of its own, so that a function called with uniform arguments stays uniform. Functions
// that are emitted as functions have a frame for each way in which they are called: by which
// arguments are uniform, and by where pointers point.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/ir/program.h"
#include "vyre/lower/call_plan_internal.h"

namespace vyre {

enum class Spread : std::uint8_t { group, gang, lane };

// The spread of each scalar of a flattened value; values of more than kLeafSpreads scalars have one
// entry for all.
using Spreads = std::vector<Spread>;
constexpr std::size_t kLeafSpreads = 16;

// How gangs are arranged in workgroups, and which spreads follow from that.
struct GangLayout {
  Spread workgroup_x = Spread::lane;  // of workgroup_id.x
  Spread rows = Spread::gang;         // of y and z of the local and global id
  // The spread of a load at a uniform address from memory that the launch writes. Where each lane
  // loads separately, lanes may see different values.
  Spread written = Spread::gang;
  // Gangs have one lane, so no function needs a second version for uniform arguments.
  bool one_lane = false;
};

struct FrameSpreads;

// The memory that a pointer-valued local points into.
struct PointerRoot {
  enum class Kind : std::uint8_t { none, global, var } kind = Kind::none;
  GlobalId global{};
  const FrameSpreads* frame = nullptr;  // of the var
  LocalId local{};
};

struct FrameSpreads {
  FunctionId function{};
  GangLayout layout;
  std::vector<Spreads> locals;  // lets, parameters: the value; vars: what they hold
  Spreads result;
  Spread leaves = Spread::group;       // control under which lanes leave the function early
  struct Construct {                   // a loop or a switch
    Spread leaves = Spread::group;     // control under which lanes leave it
    Spread continues = Spread::group;  // control under which lanes continue a loop
  };
  std::map<StmtId, Construct> constructs;
  std::map<StmtId, std::unique_ptr<FrameSpreads>> calls;  // that are expanded
  std::map<StmtId, const FrameSpreads*> function_calls;   // of functions of their own
  std::map<LocalId, PointerRoot> pointers;
  std::vector<std::size_t> declared_depth;  // of vars: control depth; used while analysing
};

// One way in which a function that stays a function is called.
struct FunctionUse {
  FunctionId function{};
  std::vector<Spreads> arguments;     // of pointers: of the indices on the way
  std::vector<std::int64_t> globals;  // by argument: the GlobalId it points into, or -1
  auto operator<=>(const FunctionUse&) const = default;
};

struct ProgramSpreads {
  CallPlan plan;
  std::unique_ptr<FrameSpreads> entry;
  std::map<FunctionUse, std::unique_ptr<FrameSpreads>> functions;
  // Per function: it, or something it calls, has a barrier.
  std::vector<bool> function_has_barrier;
};

// Whether executing the statement may meet a barrier.
bool has_barrier(const Program& program, const std::vector<bool>& function_has_barrier, StmtId id);

Result<ProgramSpreads> analyse_spreads(const Program& program, const GangLayout& layout);

// The spreads of an expression's scalars in a frame.
Spreads spreads_of(const Program& program, const FrameSpreads& frame, ExprId id);
Spread joined(const Spreads& spreads);
// The memory a pointer expression reaches.
PointerRoot root_of(const Program& program, const FrameSpreads& frame, ExprId pointer);

}  // namespace vyre
