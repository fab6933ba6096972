// The buffers of a launch in slot order, each with its role, its size and its index among the
// inputs or outputs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/plan/bindings/element_type.h"
#include "vyre/plan/error.h"

namespace vyre {

enum class BufferKind : std::uint8_t { global, shared, persistent };
enum class BufferAccess : std::uint8_t {
  read_only,
  read_write,
  write_only,
  uniform,
  workgroup,
  unknown,
};

struct BufferDecl {
  std::string name;
  std::uint32_t slot = 0;
  BufferKind kind = BufferKind::global;
  BufferAccess access = BufferAccess::read_only;
  ElementType element;
  std::uint32_t count = 0;         // 0: sized at run time
  std::uint64_t header_bytes = 0;  // before the first element
  bool is_output = false;
  bool pipeline_live_out = false;
  std::uint32_t alignment_hint = 0;  // 0: none
};

enum class BindingRole : std::uint8_t { input, output, input_output, uniform, shared, persistent };
std::string_view to_string(BindingRole role);

constexpr bool consumes_input(BindingRole role) {
  return role == BindingRole::input || role == BindingRole::input_output ||
         role == BindingRole::uniform;
}
constexpr bool produces_output(BindingRole role) {
  return role == BindingRole::output || role == BindingRole::input_output;
}

// Absent if the access is not known.
std::optional<BindingRole> role_of(const BufferDecl& buffer);

struct PlannedBinding {
  std::string name;
  std::uint32_t slot = 0;
  std::uint32_t declaration = 0;  // position among the declarations
  BindingRole role = BindingRole::input;
  std::uint64_t element_size = 0;  // the least number of bytes of one element
  std::uint64_t preferred_alignment = 1;
  std::uint64_t header_bytes = 0;   // before the first element
  std::uint32_t element_count = 0;  // 0: unknown
  std::optional<std::uint64_t> static_byte_length;
  std::optional<std::uint32_t> input_index;
  std::optional<std::uint32_t> output_index;
  bool operator==(const PlannedBinding&) const = default;
};

struct BindingPlan {
  std::vector<PlannedBinding> bindings;  // by slot; equal slots in declaration order
  // Declaration positions, in declaration order.
  std::vector<std::uint32_t> inputs;
  std::vector<std::uint32_t> outputs;
  std::vector<std::uint32_t> shared;
  bool operator==(const BindingPlan&) const = default;
};

// The length of one input; inputs are in the order of the plan.
struct InputLength {
  std::optional<std::uint64_t> bytes;  // absent: not known
  bool device_resident = false;        // true: it may be longer than declared
};

// Without `inputs` their lengths are not checked, and run-time sized buffers have the count 0.
PlanResult<BindingPlan> plan_bindings(
    std::span<const BufferDecl> buffers,
    std::optional<std::span<const InputLength>> inputs = std::nullopt);

// The same, reusing the storage of `plan`. After an error the plan is empty.
PlanResult<void> plan_bindings(BindingPlan& plan, std::span<const BufferDecl> buffers,
                               std::optional<std::span<const InputLength>> inputs = std::nullopt);

// The number of elements of a launch with these bindings, at least 1. A program with shared
// bindings or atomics runs over the largest buffer, any other program over the largest output.
std::uint32_t inferred_element_count(std::span<const PlannedBinding> bindings,
                                     bool contains_atomic);

// The parameter words from which a kernel reads its counts: word 0 is `element_count`, and word
// slot + 1 is the count of the binding in that slot. After an error `words` is unchanged.
PlanResult<void> write_param_words(std::span<const PlannedBinding> bindings,
                                   std::uint32_t element_count, std::vector<std::uint32_t>& words);

// A slot that needs more parameter words than this is an error.
inline constexpr std::uint64_t kMaxParamWords = std::uint64_t{1} << 24;

}  // namespace vyre
