// The code of the interpreter: a flat list of instructions over the bytes of one invocation. It is
// made for one launch, so that buffers, counts and layouts are constants in it.
//
// Every value is stored in its WGSL layout at a fixed offset of the invocation's memory:
//
//   zeros | ids | small constants | private globals | locals of every function | temporaries
//
// Functions do not recurse, so each has one fixed place for its locals, its result and its return
// address. Temporaries last for one statement and are shared by all functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vyre/ir/program.h"

namespace vyre {

using Slot = std::uint32_t;  // byte offset in the invocation's memory

constexpr std::uint32_t kZeroBytes = 64;  // zeros at the start: every small zero value
constexpr std::uint32_t kIdBytes = 16;    // room of one id
constexpr Slot kGlobalIdSlot = kZeroBytes;
constexpr Slot kLocalIdSlot = kGlobalIdSlot + kIdBytes;
constexpr Slot kWorkgroupIdSlot = kLocalIdSlot + kIdBytes;
constexpr Slot kWorkgroupCountSlot = kWorkgroupIdSlot + kIdBytes;
constexpr Slot kLocalIndexSlot = kWorkgroupCountSlot + kIdBytes;
constexpr Slot kHeaderBytes = kLocalIndexSlot + kIdBytes;

// A pointer value (a let or a parameter). A null address is invalid. `available` is the number of
// bytes from the address to the end of the binding, if the pointee ends in a run-time sized array.
struct MemoryPointer {
  std::byte* address = nullptr;
  std::uint64_t available = 0;
};

// `n` counts components (of 4 bytes, unless stated otherwise) or bytes; dst, a, b, c are slots. The
// address register holds the result of the latest `address_*`; null is an invalid pointer. An index
// is a u32 or an i32; a negative i32 compares as too large.
enum class Op : std::uint16_t {
  nop,
  end,           // of the invocation
  jump,          // to a
  jump_back,     // to a; tests the budget
  jump_if_not,   // a: condition, b: target
  back_if_not,   // a: condition, b: target; tests the budget
  switch_on,     // a: selector, wide: table
  call,          // a: target, dst: slot of the return address; tests the budget
  return_to,     // a: slot of the return address
  barrier,       // wide: which
  subgroup,      // wide: which
  set,           // dst = wide (4 bytes)
  copy4,         // dst = a
  copy,          // n bytes
  zero,          // n bytes
  splat,         // dst.. = a
  splat_half,    // of 2 bytes
  swizzle,       // lanes in wide, one byte each
  swizzle_half,  // of 2 bytes
  select,        // n bytes: dst = c ? b : a
  select_each,   // by component of c
  select_half,   // components of 2 bytes, conditions of 4

  // Addresses.
  address_local,          // slot a
  address_local_index,    // slot dst, index a, stride b, count c
  address_fixed,          // wide
  address_fixed_index,    // wide, index a, stride b, count c
  address_pointer,        // pointer in dst, offset wide
  address_pointer_index,  // pointer in dst, offset wide, index a, stride b, count c
  address_runtime_index,  // the same; the array begins at offset n, its length is what is bound
  address_index,          // from the register: index a, stride b, count c
  load4,
  load,                // n bytes
  store4,              // a
  store,               // a, n bytes
  store_parts,         // a, by copy plan wide; does not write padding
  load4_fixed_index,   // address_fixed_index and load4 to dst
  store4_fixed_index,  // address_fixed_index and store4 of dst
  make_pointer,        // dst; wide: bytes available
  derive_pointer,      // dst; the available bytes of pointer a, less offset wide
  array_length,        // dst; of pointer a, array at offset wide, stride b
  wide_atomic,         // a: value of 64 bits; n: whether it is a maximum
  atomic,  // dst: result, a: value, b: compare, c: offset of `exchanged`; n: 2 * op + signed

  // f32.
  add_f32,
  sub_f32,
  mul_f32,
  div_f32,
  negate_f32,
  equal_f32,
  not_equal_f32,
  less_f32,
  less_equal_f32,
  min_f32,
  max_f32,
  clamp_f32,
  abs_f32,
  floor_f32,
  sqrt_f32,
  fma_f32,
  dot_f32,
  // 32-bit integers; instructions without a suffix serve both kinds and bool.
  add,
  sub,
  mul,
  div_i32,
  div_u32,
  rem_i32,
  rem_u32,
  negate,
  bit_not,
  logical_not,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right_i32,
  shift_right_u32,
  equal,
  not_equal,
  less_i32,
  less_equal_i32,
  less_u32,
  less_equal_u32,
  min_i32,
  max_i32,
  min_u32,
  max_u32,
  // Conversions.
  i32_to_f32,
  u32_to_f32,
  f32_to_i32,
  f32_to_u32,

  apply,  // wide: which call
};

struct Instr {
  Op op = Op::nop;
  std::uint16_t steps = 0;  // statements that begin here
  std::uint32_t n = 0;
  std::uint32_t dst = 0, a = 0, b = 0, c = 0;
  std::uint64_t wide = 0;
};

struct SwitchTable {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> targets;  // value, target; sorted
  std::uint32_t otherwise = 0;
};

// The place of one scalar in the layout of a value.
struct ScalarPlace {
  std::uint32_t offset = 0;
  ScalarKind kind = ScalarKind::u32;
};

// An operation without its own instruction, which calls `apply` of operation.h.
struct ApplyCall {
  enum class Form : std::uint8_t { unary, binary, math, convert, bitcast };
  struct Value {
    TypeId type{};
    Slot at = 0;
    std::vector<ScalarPlace> scalars;
  };
  Form form = Form::unary;
  std::uint8_t operation = 0;  // of the form's enum
  Value result;
  std::vector<Value> arguments;
};

struct SubgroupCall {
  SubgroupOp op{};
  ApplyCall::Value value, result;
  Slot lane = 0;
};

// The loops around an instruction in its function, outermost first; for calls and for instructions
// at which invocations of a subgroup wait for each other.
struct Site {
  struct Loop {
    std::uint32_t start;  // instruction
    Slot iterations;      // counts them
  };
  std::vector<Loop> loops;
  Slot return_address = 0;  // of the function; 0 in the entry
};

// The bytes of a value without padding: the ranges `parts`, or another plan `count` times.
struct CopyPlan {
  struct Part {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;  // when plan < 0
    std::int64_t plan = -1;
    std::uint64_t count = 1, stride = 0;  // of that plan
  };
  std::vector<Part> parts;
};

struct FlatCode {
  std::vector<Instr> instrs;  // starts at 0
  std::vector<SwitchTable> switches;
  std::vector<ApplyCall> applies;
  std::vector<CopyPlan> plans;
  std::vector<SourcePos> barriers;
  std::vector<SubgroupCall> subgroups;
  std::unordered_map<std::uint32_t, Site> sites;  // by instruction; empty without subgroups
  std::vector<std::vector<std::byte>> constants;  // the large ones, in their layout
  std::vector<std::byte> image;                   // the first bytes of every invocation's memory
  std::uint64_t invocation_bytes = 0;
};

}  // namespace vyre
