#include <fmt/format.h>

#include "vyre/base/overloaded.h"
#include "vyre/fuse/launch_fusion.h"

namespace vyre {

std::string_view to_string(FusionBoundary boundary) {
  switch (boundary) {
    case FusionBoundary::first_stage: return "first stage";
    case FusionBoundary::host_materialization: return "host materialization";
    case FusionBoundary::layout_differs: return "layout differs";
    case FusionBoundary::over_budget: return "over budget";
  }
  return "unknown";
}

std::string_view wire_name(FusionQuantity quantity) {
  switch (quantity) {
    case FusionQuantity::stage_input_plus_output: return "stage_io_bytes";
    case FusionQuantity::stage_total: return "stage_required_bytes";
    case FusionQuantity::fused_scratch: return "fused_scratch_bytes";
    case FusionQuantity::fused_output: return "fused_output_bytes";
    case FusionQuantity::group_avoided: return "avoided_intermediate_bytes";
    case FusionQuantity::total_avoided: return "total_avoided_intermediate_bytes";
    case FusionQuantity::launch_count: return "launch_count";
    case FusionQuantity::avoided_launches: return "avoided_launches";
  }
  return "unknown";
}

std::string_view wire_name(const FusionError& error) {
  return std::visit(
      Overloaded{
          [](const ZeroBudget&) -> std::string_view { return "zero_budget"; },
          [](const DuplicateStage&) -> std::string_view { return "duplicate_stage"; },
          [](const StageOverBudget&) -> std::string_view { return "stage_over_budget"; },
          [](const ByteOverflow&) -> std::string_view { return "byte_count_overflow"; },
          [](const StorageReserve&) -> std::string_view { return "storage_reserve"; },
      },
      error);
}

Error to_error(const FusionError& error) {
  return std::visit(
      Overloaded{
          [](const ZeroBudget&) {
            return Error{Code::invalid_input, "the byte budget of a group is 0",
                         "give a budget of at least the largest stage"};
          },
          [](const DuplicateStage& fault) {
            return Error{Code::invalid_input, fmt::format("two stages have the id {}", fault.id),
                         "give every stage an id of its own"};
          },
          [](const StageOverBudget& fault) {
            return Error{Code::limit,
                         fmt::format("stage {} alone needs {} bytes, and the budget is {}",
                                     fault.id, fault.required_bytes, fault.budget_bytes),
                         fmt::format("raise the budget to at least {}", fault.required_bytes)};
          },
          [](const ByteOverflow& fault) {
            return Error{Code::limit,
                         fmt::format("{} does not fit its integer", wire_name(fault.quantity)), ""};
          },
          [](const StorageReserve& fault) {
            return Error{Code::out_of_memory,
                         fmt::format("no memory for {} entries of the {}: {}", fault.entries,
                                     fault.field, fault.detail),
                         ""};
          },
      },
      error);
}

}  // namespace vyre
