// The errors of launch planning: one small struct per kind, with its values. `wire_name` is the
// name in the conformance vectors, if they have one.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <variant>

#include "vyre/base/error.h"
#include "vyre/base/extent.h"

namespace vyre {

// Bindings and inputs.

struct UnknownAccess {
  std::string buffer;
  bool operator==(const UnknownAccess&) const = default;
};
struct BadElementLayout {
  std::string buffer;
  bool operator==(const BadElementLayout&) const = default;
};
struct StaticLengthOverflow {
  std::string buffer;
  bool operator==(const StaticLengthOverflow&) const = default;
};
// A count was declared for elements whose size is known only at run time.
struct RuntimeSizedElement {
  std::string buffer;
  std::uint32_t count;
  bool operator==(const RuntimeSizedElement&) const = default;
};
struct BadAlignment {
  std::string buffer;
  std::uint32_t hint;
  bool operator==(const BadAlignment&) const = default;
};
struct InputCountMismatch {
  std::uint64_t expected;
  std::uint64_t actual;
  bool operator==(const InputCountMismatch&) const = default;
};
struct InputMisaligned {
  std::string buffer;
  std::uint64_t length;
  std::uint64_t element_size;
  bool operator==(const InputMisaligned&) const = default;
};
struct InputLengthMismatch {
  std::string buffer;
  std::uint64_t expected;
  std::uint64_t length;
  bool exact;  // host memory must have exactly the expected length, device memory at least that
  bool operator==(const InputLengthMismatch&) const = default;
};
// There would be too many parameter words.
struct ParamWordsOverflow {
  std::uint32_t slot;  // the highest slot
  std::uint64_t words;
  bool operator==(const ParamWordsOverflow&) const = default;
};

// Geometry.

struct ZeroDimension {
  std::string backend;
  bool operator==(const ZeroDimension&) const = default;
};
struct WorkgroupProductOverflow {
  std::string backend;
  bool operator==(const WorkgroupProductOverflow&) const = default;
};
struct TooManyThreads {
  std::string backend;
  std::uint32_t threads;
  std::uint32_t max;
  bool operator==(const TooManyThreads&) const = default;
};
struct WorkgroupAxisLimit {
  std::string backend;
  std::uint32_t axis;
  std::uint32_t requested;
  std::uint32_t max;
  bool operator==(const WorkgroupAxisLimit&) const = default;
};
struct GridAxisLimit {
  std::string backend;
  std::uint32_t axis;
  std::uint32_t requested;
  std::uint32_t max;
  bool operator==(const GridAxisLimit&) const = default;
};
struct ZeroOverrideDimension {  // in the grid override
  std::string backend;
  Extent grid;
  bool operator==(const ZeroOverrideDimension&) const = default;
};
struct ZeroGlobalSize {
  std::string backend;
  Extent global_size;
  bool operator==(const ZeroGlobalSize&) const = default;
};
struct ElementCountOverflow {
  std::string backend;
  std::uint32_t grid_x;
  std::uint32_t workgroup_x;
  bool operator==(const ElementCountOverflow&) const = default;
};
// The workgroup has two or three axes, and neither a grid nor a logical size says how to arrange
// the elements.
struct GridOverrideRequired {
  std::string backend;
  Extent workgroup;
  bool operator==(const GridOverrideRequired&) const = default;
};
struct ZeroWorkgroup {
  Extent workgroup;
  bool operator==(const ZeroWorkgroup&) const = default;
};

using PlanError =
    std::variant<UnknownAccess, BadElementLayout, StaticLengthOverflow, RuntimeSizedElement,
                 BadAlignment, InputCountMismatch, InputMisaligned, InputLengthMismatch,
                 ParamWordsOverflow, ZeroDimension, WorkgroupProductOverflow, TooManyThreads,
                 WorkgroupAxisLimit, GridAxisLimit, ZeroOverrideDimension, ZeroGlobalSize,
                 ElementCountOverflow, GridOverrideRequired, ZeroWorkgroup>;

template <class T>
using PlanResult = std::expected<T, PlanError>;

std::string_view wire_name(const PlanError& error);
// "invalid_program", or "raw" for an error that is not a fault of the program.
std::string_view wire_class(const PlanError& error);
Error to_error(const PlanError& error);

}  // namespace vyre
