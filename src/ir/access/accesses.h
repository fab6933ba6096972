// Which elements of its buffers a program reads and writes, and when.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "vyre/ir/access/value_numbers.h"
#include "vyre/ir/program.h"

namespace vyre {

// What is known of a buffer before the launch.
struct BufferFacts {
  std::uint32_t identity = 0;           // globals with the same one are the same memory
  std::optional<std::uint64_t> bytes;   // as bound
  std::span<const std::byte> contents;  // of a uniform; empty when they are not known
  bool written = true;                  // by this program or others that run with it
};

// The last axis of an extent along which there are several invocations.
constexpr std::size_t slowest_axis(const Extent& extent) {
  return extent[2] > 1 ? 2 : extent[1] > 1 ? 1 : 0;
}

struct LaunchFacts {
  Extent extent{0xFFFFFFFFU, 0xFFFFFFFFU, 0xFFFFFFFFU};  // the number of invocations on each axis
  Extent workgroup{1, 1, 1};
  std::vector<BufferFacts> buffers;  // one for each global; those of other memory are not looked at
};

enum class AccessKind : std::uint8_t { load, store, atomic };

// One access of an expression or a statement to storage memory. A call is followed with its
// arguments, so what stands in a function appears once for each way that leads there.
struct MemoryAccess {
  AccessKind kind{};
  GlobalId global{};
  ExprId pointer = kNoExpr;
  StmtId stmt{};  // that it is a part of
  bool in_entry = false;
  // Members and indices on the way from the buffer to the place. The first `element` of them lead
  // to an element of the outermost array; 0 when the path goes through no array.
  std::vector<ValueNumber> path;
  std::uint32_t element = 0;
  // The element's index as a sum over ids and loops; absent when it is anything else.
  std::optional<std::vector<KeyPart>> key;
  ValueRange index_range;  // of the element's index
  // The element's index by the id of the slowest axis along which there are several invocations.
  AxisBounds along_slowest{};
  std::vector<ValueNumbers::Fact> guard;  // what holds when it happens
  double times = 1;                       // executions for each invocation, estimated
  AtomicOp atomic{};
  bool result_used = false;  // of an atomic

  ValueNumber index() const { return path[element - 1]; }
};

struct Accesses {
  std::vector<MemoryAccess> all;  // in the order of execution
  // The condition of each `if` that stands directly in the body of the entry.
  std::unordered_map<std::uint32_t, ValueNumber> conditions;  // by StmtId
  bool complete = true;  // false: the program was too large to look at all of it
};

// `numbers` may serve several programs: equal values of theirs have equal numbers.
Accesses find_accesses(const Program& program, const LaunchFacts& facts, ValueNumbers& numbers);

// One flag per function: called from the entry, directly or not; the entry itself too.
std::vector<bool> functions_reached(const Program& program);

// As Stats::pointwise.
bool is_pointwise(const Program& program);

}  // namespace vyre
