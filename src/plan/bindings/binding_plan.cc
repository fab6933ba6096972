#include "vyre/plan/bindings/binding_plan.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>
#include <new>
#include <tuple>

#include "vyre/base/arithmetic.h"
#include "vyre/plan/bindings/extent_inference.h"

namespace vyre {

std::optional<BindingRole> role_of(const BufferDecl& buffer) {
  if (buffer.kind == BufferKind::shared || buffer.access == BufferAccess::workgroup)
    return BindingRole::shared;
  if (buffer.kind == BufferKind::persistent) return BindingRole::persistent;
  if (buffer.is_output || buffer.pipeline_live_out) return BindingRole::output;
  switch (buffer.access) {
    case BufferAccess::read_only: return BindingRole::input;
    case BufferAccess::read_write: return BindingRole::input_output;
    case BufferAccess::write_only: return BindingRole::output;
    case BufferAccess::uniform: return BindingRole::uniform;
    case BufferAccess::workgroup:
    case BufferAccess::unknown: break;
  }
  return std::nullopt;
}

namespace {

bool slot_order(const PlannedBinding& a, const PlannedBinding& b) {
  return std::tie(a.slot, a.declaration) < std::tie(b.slot, b.declaration);
}

// The first buffer of unknown access, in slot order. The caller knows that there is one.
UnknownAccess first_unknown_access(std::span<const BufferDecl> buffers) {
  const BufferDecl* first = nullptr;
  for (const BufferDecl& buffer : buffers) {
    if (!role_of(buffer) && (first == nullptr || buffer.slot < first->slot)) first = &buffer;
  }
  assert(first != nullptr);
  return UnknownAccess{first->name};
}

// Roles and indices, in declaration order.
bool number_bindings(BindingPlan& plan, std::span<const BufferDecl> buffers) {
  plan.inputs.clear();
  plan.outputs.clear();
  plan.shared.clear();
  plan.bindings.resize(buffers.size());
  for (std::uint32_t declaration = 0; declaration < buffers.size(); ++declaration) {
    const BufferDecl& buffer = buffers[declaration];
    const auto role = role_of(buffer);
    if (!role) return false;
    PlannedBinding& binding = plan.bindings[declaration];
    binding.name = buffer.name;
    binding.slot = buffer.slot;
    binding.declaration = declaration;
    binding.role = *role;
    binding.input_index.reset();
    binding.output_index.reset();
    if (consumes_input(*role)) {
      binding.input_index = static_cast<std::uint32_t>(plan.inputs.size());
      plan.inputs.push_back(declaration);
    }
    if (produces_output(*role) || buffer.pipeline_live_out) {
      binding.output_index = static_cast<std::uint32_t>(plan.outputs.size());
      plan.outputs.push_back(declaration);
    }
    if (*role == BindingRole::shared) plan.shared.push_back(declaration);
  }
  return true;
}

// The number of elements in an input of this many bytes; 0 if it is unknown.
std::uint32_t elements_in(const ElementSize& size, std::uint64_t bytes) {
  std::optional<std::uint64_t> count;
  if (size.bits) {
    const auto bits = checked_mul<std::uint64_t>(bytes, 8);
    if (bits && *size.bits != 0) count = *bits / *size.bits;
  } else if (size.bytes && *size.bytes != 0) {
    count = bytes / *size.bytes;
  }
  if (!count || *count > std::numeric_limits<std::uint32_t>::max()) return 0;
  return static_cast<std::uint32_t>(*count);
}

std::optional<std::uint64_t> known_bytes(const PlannedBinding& binding,
                                         std::optional<std::span<const InputLength>> inputs) {
  if (!inputs || !binding.input_index || *binding.input_index >= inputs->size())
    return std::nullopt;
  return (*inputs)[*binding.input_index].bytes;
}

PlanResult<void> measure_binding(PlannedBinding& binding, const BufferDecl& buffer,
                                 std::optional<std::span<const InputLength>> inputs) {
  if (!is_well_formed(buffer.element)) return std::unexpected(BadElementLayout{buffer.name});
  const ElementSize size = element_size(buffer.element);

  binding.static_byte_length.reset();
  if (buffer.count != 0) {
    const PackedLength length = packed_length(size, buffer.count);
    if (!length.bytes && length.fault == PackedLengthFault::overflow)
      return std::unexpected(StaticLengthOverflow{buffer.name});
    if (!length.bytes) return std::unexpected(RuntimeSizedElement{buffer.name, buffer.count});
    binding.static_byte_length = checked_add(buffer.header_bytes, *length.bytes);
    if (!binding.static_byte_length) return std::unexpected(StaticLengthOverflow{buffer.name});
  }

  if (buffer.alignment_hint != 0 && !std::has_single_bit(buffer.alignment_hint))
    return std::unexpected(BadAlignment{buffer.name, buffer.alignment_hint});
  binding.element_size = size.min_bytes;
  binding.preferred_alignment = std::max<std::uint64_t>({buffer.alignment_hint, size.alignment, 1});
  binding.header_bytes = buffer.header_bytes;

  binding.element_count = buffer.count;
  if (buffer.count == 0) {
    const auto bytes = known_bytes(binding, inputs);
    binding.element_count =
        bytes ? elements_in(size, saturating_sub(*bytes, buffer.header_bytes)) : 0;
  }
  return {};
}

PlanResult<void> check_inputs(const BindingPlan& plan, std::span<const InputLength> inputs) {
  if (inputs.size() != plan.inputs.size())
    return std::unexpected(InputCountMismatch{plan.inputs.size(), inputs.size()});
  for (const PlannedBinding& binding : plan.bindings) {
    if (!binding.input_index) continue;
    const InputLength& input = inputs[*binding.input_index];
    if (!input.bytes) continue;
    if (*input.bytes < binding.header_bytes)
      return std::unexpected(
          InputLengthMismatch{binding.name, binding.header_bytes, *input.bytes, false});
    if (binding.element_size > 1 &&
        (*input.bytes - binding.header_bytes) % binding.element_size != 0)
      return std::unexpected(InputMisaligned{binding.name, *input.bytes, binding.element_size});
    if (!binding.static_byte_length) continue;
    const std::uint64_t expected = *binding.static_byte_length;
    const bool fits = input.device_resident ? *input.bytes >= expected : *input.bytes == expected;
    if (!fits)
      return std::unexpected(
          InputLengthMismatch{binding.name, expected, *input.bytes, !input.device_resident});
  }
  return {};
}

PlanResult<void> fill_plan(BindingPlan& plan, std::span<const BufferDecl> buffers,
                           std::optional<std::span<const InputLength>> inputs) {
  if (!number_bindings(plan, buffers)) return std::unexpected(first_unknown_access(buffers));
  if (!std::ranges::is_sorted(plan.bindings, slot_order))
    std::ranges::sort(plan.bindings, slot_order);
  for (PlannedBinding& binding : plan.bindings)
    VYRE_CHECK(measure_binding(binding, buffers[binding.declaration], inputs));
  return inputs ? check_inputs(plan, *inputs) : PlanResult<void>{};
}

}  // namespace

std::string_view to_string(BindingRole role) {
  switch (role) {
    case BindingRole::input: return "input";
    case BindingRole::output: return "output";
    case BindingRole::input_output: return "input_output";
    case BindingRole::uniform: return "uniform";
    case BindingRole::shared: return "shared";
    case BindingRole::persistent: return "persistent";
  }
  return "unknown";
}

PlanResult<void> plan_bindings(BindingPlan& plan, std::span<const BufferDecl> buffers,
                               std::optional<std::span<const InputLength>> inputs) {
  auto filled = fill_plan(plan, buffers, inputs);
  if (!filled) {
    plan.bindings.clear();
    plan.inputs.clear();
    plan.outputs.clear();
    plan.shared.clear();
  }
  return filled;
}

PlanResult<BindingPlan> plan_bindings(std::span<const BufferDecl> buffers,
                                      std::optional<std::span<const InputLength>> inputs) {
  BindingPlan plan;
  VYRE_CHECK(plan_bindings(plan, buffers, inputs));
  return plan;
}

std::uint32_t inferred_element_count(std::span<const PlannedBinding> bindings,
                                     bool contains_atomic) {
  const auto is_shared = [](const PlannedBinding& b) { return b.role == BindingRole::shared; };
  const bool spans_everything = contains_atomic || std::ranges::any_of(bindings, is_shared);
  const auto count = [&](const PlannedBinding& b) -> std::optional<std::uint32_t> {
    if (is_shared(b) || b.element_count == 0) return std::nullopt;
    return b.element_count;
  };
  const PlannedBinding* covered =
      covering_buffer(bindings, spans_everything, count,
                      [](const PlannedBinding& b) { return produces_output(b.role); });
  return covered == nullptr ? 1 : covered->element_count;
}

PlanResult<void> write_param_words(std::span<const PlannedBinding> bindings,
                                   std::uint32_t element_count, std::vector<std::uint32_t>& words) {
  std::uint64_t length = bindings.size() + 1;
  std::uint32_t highest_slot = 0;
  for (const PlannedBinding& binding : bindings) {
    if (binding.role == BindingRole::shared) continue;
    highest_slot = std::max(highest_slot, binding.slot);
    length = std::max<std::uint64_t>(length, std::uint64_t{binding.slot} + 2);
  }
  if (length > kMaxParamWords) return std::unexpected(ParamWordsOverflow{highest_slot, length});
  try {
    words.assign(length, 0);
  } catch (const std::bad_alloc&) {
    return std::unexpected(ParamWordsOverflow{highest_slot, length});
  }
  words[0] = element_count;
  for (const PlannedBinding& binding : bindings) {
    if (binding.role == BindingRole::shared) continue;
    words[std::size_t{binding.slot} + 1] =
        binding.element_count != 0 ? binding.element_count : element_count;
  }
  return {};
}

}  // namespace vyre
