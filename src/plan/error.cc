#include "vyre/plan/error.h"

#include <fmt/format.h>

#include "vyre/base/overloaded.h"

namespace vyre {
namespace {

std::string shape(const Extent& extent) {
  return fmt::format("{}x{}x{}", extent[0], extent[1], extent[2]);
}

char axis_name(std::uint32_t axis) { return static_cast<char>('x' + axis); }

}  // namespace

std::string_view wire_name(const PlanError& error) {
  using Name = std::string_view;
  return std::visit(
      Overloaded{
          [](const UnknownAccess&) -> Name { return "unknown_access"; },
          [](const BadElementLayout&) -> Name { return "bad_element_layout"; },
          [](const StaticLengthOverflow&) -> Name { return "static_length_overflow"; },
          [](const RuntimeSizedElement&) -> Name { return "runtime_sized_element"; },
          [](const BadAlignment&) -> Name { return "bad_alignment"; },
          [](const InputCountMismatch&) -> Name { return "input_count_mismatch"; },
          [](const InputMisaligned&) -> Name { return "input_misaligned"; },
          [](const InputLengthMismatch&) -> Name { return "input_length_mismatch"; },
          [](const ParamWordsOverflow&) -> Name { return "param_words_overflow"; },
          [](const ZeroDimension&) -> Name { return "zero_dimension"; },
          [](const WorkgroupProductOverflow&) -> Name { return "workgroup_product_overflow"; },
          [](const TooManyThreads&) -> Name { return "too_many_threads"; },
          [](const WorkgroupAxisLimit&) -> Name { return "workgroup_axis_limit"; },
          [](const GridAxisLimit&) -> Name { return "grid_axis_limit"; },
          [](const ZeroOverrideDimension&) -> Name { return "zero_override_dimension"; },
          [](const ZeroGlobalSize&) -> Name { return "zero_global_size"; },
          [](const ElementCountOverflow&) -> Name { return "element_count_overflow"; },
          [](const GridOverrideRequired&) -> Name { return "grid_override_required"; },
          [](const ZeroWorkgroup&) -> Name { return "zero_workgroup"; },
      },
      error);
}

std::string_view wire_class(const PlanError& error) {
  return std::holds_alternative<ZeroWorkgroup>(error) ? "raw" : "invalid_program";
}

Error to_error(const PlanError& error) {
  return std::visit(
      Overloaded{
          [](const UnknownAccess& e) {
            return Error{Code::invalid_input,
                         fmt::format("buffer {} has an access mode that is not known", e.buffer),
                         "declare it read-only, read-write, write-only or uniform"};
          },
          [](const BadElementLayout& e) {
            return Error{Code::invalid_input,
                         fmt::format("buffer {} has an element type of no valid layout", e.buffer),
                         "give every vector, array, tensor and group a size of at least 1"};
          },
          [](const StaticLengthOverflow& e) {
            return Error{Code::limit,
                         fmt::format("the length of buffer {} overflows 64 bits", e.buffer),
                         "declare fewer elements"};
          },
          [](const RuntimeSizedElement& e) {
            return Error{
                Code::invalid_input,
                fmt::format("buffer {} declares {} elements of unknown size", e.buffer, e.count),
                "leave the count out, so that the run sizes the buffer"};
          },
          [](const BadAlignment& e) {
            return Error{
                Code::invalid_input,
                fmt::format("buffer {} asks for an alignment of {} bytes", e.buffer, e.hint),
                "use a power of two, or 0 for none"};
          },
          [](const InputCountMismatch& e) {
            return Error{
                Code::invalid_input,
                fmt::format("{} inputs were given; the program takes {}", e.actual, e.expected),
                "give one input for each buffer that is read"};
          },
          [](const InputMisaligned& e) {
            return Error{Code::invalid_input,
                         fmt::format("the input of buffer {} has {} bytes, not a multiple of its "
                                     "element size {}",
                                     e.buffer, e.length, e.element_size),
                         "give whole elements"};
          },
          [](const InputLengthMismatch& e) {
            return Error{Code::invalid_input,
                         fmt::format("the input of buffer {} has {} bytes; {}{} are declared",
                                     e.buffer, e.length, e.exact ? "" : "at least ", e.expected),
                         "give as much data as the program declares"};
          },
          [](const ParamWordsOverflow& e) {
            return Error{Code::limit,
                         fmt::format("slot {} asks for {} parameter words", e.slot, e.words),
                         "number the slots from 0 upwards"};
          },
          [](const ZeroDimension& e) {
            return Error{Code::invalid_input,
                         fmt::format("{}: the workgroup or the grid has an axis of 0", e.backend),
                         "use at least 1 on every axis"};
          },
          [](const WorkgroupProductOverflow& e) {
            return Error{Code::limit,
                         fmt::format("{}: the threads of a workgroup overflow 32 bits", e.backend),
                         "use a smaller workgroup"};
          },
          [](const TooManyThreads& e) {
            return Error{Code::limit,
                         fmt::format("the workgroup has {} threads; {} allows {}", e.threads,
                                     e.backend, e.max),
                         fmt::format("use a workgroup of at most {} threads", e.max)};
          },
          [](const WorkgroupAxisLimit& e) {
            return Error{Code::limit,
                         fmt::format("the workgroup has {} threads along {}; {} allows {}",
                                     e.requested, axis_name(e.axis), e.backend, e.max),
                         fmt::format("use at most {} along {}", e.max, axis_name(e.axis))};
          },
          [](const GridAxisLimit& e) {
            return Error{Code::limit,
                         fmt::format("the grid has {} workgroups along {}; {} allows {}",
                                     e.requested, axis_name(e.axis), e.backend, e.max),
                         "use a larger workgroup, or split the launch"};
          },
          [](const ZeroOverrideDimension& e) {
            return Error{Code::invalid_input,
                         fmt::format("{}: the grid {} has an axis of 0", e.backend, shape(e.grid)),
                         "use at least 1 on every axis"};
          },
          [](const ZeroGlobalSize& e) {
            return Error{
                Code::invalid_input,
                fmt::format("{}: the size {} has an axis of 0", e.backend, shape(e.global_size)),
                "use at least 1 on every axis"};
          },
          [](const ElementCountOverflow& e) {
            return Error{Code::limit,
                         fmt::format("{}: {} workgroups of {} elements overflow 32 bits", e.backend,
                                     e.grid_x, e.workgroup_x),
                         "split the launch"};
          },
          [](const GridOverrideRequired& e) {
            return Error{Code::invalid_input,
                         fmt::format("{}: a workgroup of {} does not say how to lay out the grid",
                                     e.backend, shape(e.workgroup)),
                         "give a grid, or a logical size of as many axes"};
          },
          [](const ZeroWorkgroup& e) {
            return Error{Code::invalid_input,
                         fmt::format("the workgroup {} has an axis of 0", shape(e.workgroup)),
                         "use at least 1 on every axis"};
          },
      },
      error);
}

}  // namespace vyre
