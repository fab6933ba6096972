#include "vyre/fuse/fuse_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vyre/fuse/forward_elements_internal.h"
#include "vyre/fuse/fusion_plan_internal.h"

namespace vyre {

std::string_view to_string(BufferFate fate) {
  switch (fate) {
    case BufferFate::memory: return "memory";
    case BufferFate::registers: return "registers";
    case BufferFate::dropped: return "dropped";
    case BufferFate::recomputed: return "recomputed";
  }
  return "";
}

std::string_view to_string(RefusalReason reason) {
  switch (reason) {
    case RefusalReason::extents_differ: return "extents_differ";
    case RefusalReason::key_not_injective: return "key_not_injective";
    case RefusalReason::other_element_read: return "other_element_read";
    case RefusalReason::neighbour_overwritten: return "neighbour_overwritten";
    case RefusalReason::workgroup_differs: return "workgroup_differs";
    case RefusalReason::atomic_result_used: return "atomic_result_used";
    case RefusalReason::atomics_mixed: return "atomics_mixed";
    case RefusalReason::seen_as_two_types: return "seen_as_two_types";
    case RefusalReason::accessed_as_a_whole: return "accessed_as_a_whole";
    case RefusalReason::too_many_bindings: return "too_many_bindings";
    case RefusalReason::too_much_workgroup_memory: return "too_much_workgroup_memory";
    case RefusalReason::too_much_recomputation: return "too_much_recomputation";
    case RefusalReason::too_large: return "too_large";
    case RefusalReason::not_expressible: return "not_expressible";
  }
  return "";
}

std::string describe(const FusionRefusal& refusal, std::span<const KernelStage> stages,
                     std::span<const FusedBuffer> buffers) {
  const std::string& stage = stages[refusal.stage].name;
  const std::string buffer = refusal.buffer ? buffers[*refusal.buffer].name : "";
  switch (refusal.reason) {
    case RefusalReason::extents_differ:
      return fmt::format("'{}' has another number of invocations than the stages before it", stage);
    case RefusalReason::key_not_injective:
      return fmt::format(
          "invocations may write the same element of '{}', which stages up to '{}' share", buffer,
          stage);
    case RefusalReason::other_element_read:
      return fmt::format("'{}' reads elements of '{}' that other invocations write", stage, buffer);
    case RefusalReason::neighbour_overwritten:
      return fmt::format("'{}' overwrites elements of '{}' that other invocations read before",
                         stage, buffer);
    case RefusalReason::workgroup_differs:
      return fmt::format(
          "a stage before '{}' depends on its workgroup, and that of the last stage "
          "is another",
          stage);
    case RefusalReason::atomic_result_used:
      return fmt::format(
          "the result of an atomic operation on '{}' is used, and depends on the order of "
          "invocations",
          buffer);
    case RefusalReason::atomics_mixed:
      return fmt::format("'{}' and stages before it access '{}' with atomics and in other ways",
                         stage, buffer);
    case RefusalReason::seen_as_two_types:
      return fmt::format("'{}' and stages before it see '{}' as different types", stage, buffer);
    case RefusalReason::accessed_as_a_whole:
      return fmt::format("'{}' is written, and accessed without an index, up to '{}'", buffer,
                         stage);
    case RefusalReason::too_many_bindings:
      return fmt::format("together with '{}' the stages bind {} buffers", stage, refusal.count);
    case RefusalReason::too_much_workgroup_memory:
      return fmt::format("together with '{}' the stages use {} bytes of workgroup memory", stage,
                         refusal.count);
    case RefusalReason::too_much_recomputation:
      return fmt::format(
          "computing '{}' again where '{}' reads it takes {} operations for each element", buffer,
          stage, refusal.count);
    case RefusalReason::too_large: return fmt::format("'{}' is too large to be fused", stage);
    case RefusalReason::not_expressible:
      return fmt::format("together with '{}' the stages are no valid program: {}", stage,
                         refusal.detail);
  }
  return "";
}

std::expected<FusedKernel, FusionRefusal> fuse_kernels(std::span<const KernelStage> stages,
                                                       std::span<const FusedBuffer> buffers,
                                                       const FusionLimits& limits) {
  auto plan = plan_group(stages, buffers, limits);
  if (!plan) return std::unexpected(plan.error());
  WrittenGroup written = write_group(*plan, stages, buffers);
  for (const std::size_t buffer : forward_elements(written, *plan, buffers)) {
    plan->fates[buffer] = BufferFate::dropped;
  }
  const std::size_t last = stages.size() - 1;
  if (written.bindings.size() > limits.bindings) {
    return std::unexpected(FusionRefusal{.reason = RefusalReason::too_many_bindings,
                                         .stage = last,
                                         .buffer = {},
                                         .count = static_cast<double>(written.bindings.size())});
  }
  auto kernel = finish_kernel(std::move(written.program));
  if (!kernel) {
    return std::unexpected(FusionRefusal{.reason = RefusalReason::not_expressible,
                                         .stage = last,
                                         .buffer = {},
                                         .detail = kernel.error().what});
  }
  const std::uint64_t shared = kernel->stats.workgroup_bytes;
  if (shared > limits.workgroup_bytes && std::ranges::none_of(stages, [&](const KernelStage& s) {
        return s.kernel->stats.workgroup_bytes == shared;
      })) {
    return std::unexpected(FusionRefusal{.reason = RefusalReason::too_much_workgroup_memory,
                                         .stage = last,
                                         .buffer = {},
                                         .count = static_cast<double>(shared)});
  }
  return FusedKernel{.kernel = std::move(*kernel),
                     .extent = stages.back().extent,
                     .bindings = std::move(written.bindings),
                     .fates = std::move(plan->fates)};
}

}  // namespace vyre
