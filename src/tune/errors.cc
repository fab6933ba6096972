#include "vyre/tune/errors.h"

#include <fmt/format.h>

#include "vyre/base/overloaded.h"

namespace vyre {
namespace {

Error made(Code code, std::string what, std::string fix = {}) {
  return Error{code, std::move(what), std::move(fix)};
}

}  // namespace

std::string_view wire_name(const PolicyError& error) {
  return std::visit(
      Overloaded{
          [](const EmptyMeasurements&) -> std::string_view { return "empty_measurements"; },
          [](const ZeroTemperature&) -> std::string_view { return "zero_temperature"; },
          [](const FisherShape&) -> std::string_view { return "fisher_matrix_shape"; },
      },
      error);
}

std::string_view wire_name(const CacheError& error) {
  return std::visit(
      Overloaded{
          [](const CacheNotToml&) -> std::string_view { return "invalid_toml"; },
          [](const CacheUnreadable&) -> std::string_view { return "cache_unreadable"; },
          [](const CacheTooLarge&) -> std::string_view { return "cache_too_large"; },
          [](const CacheDirectory&) -> std::string_view { return "cache_directory"; },
          [](const CacheWrite&) -> std::string_view { return "cache_write"; },
      },
      error);
}

Error to_error(const PolicyError& error) {
  return std::visit(
      Overloaded{
          [](const EmptyMeasurements&) {
            return made(Code::invalid_input, "a policy step was asked for with no measurements");
          },
          [](const ZeroTemperature&) {
            return made(Code::invalid_input, "the policy's temperature is 0 ns",
                        "give a temperature of at least 1 ns");
          },
          [](const FisherShape& shape) {
            return made(Code::invalid_input,
                        fmt::format("the preconditioner has {} cells for {} measurements",
                                    shape.cells, shape.measurements),
                        "give one row and one column per measurement");
          },
      },
      error);
}

Error to_error(const CacheError& error) {
  static constexpr const char* kMoveAway = "repair it, or move it away to begin a new one";
  return std::visit(
      Overloaded{
          [](const CacheNotToml& fault) {
            return made(
                Code::invalid_input,
                fmt::format("the decision cache {} is not TOML: {}", fault.path, fault.detail),
                kMoveAway);
          },
          [](const CacheUnreadable& fault) {
            return made(Code::io, fmt::format("the decision cache {} cannot be read: {}",
                                              fault.path, fault.reason));
          },
          [](const CacheTooLarge& fault) {
            return made(Code::limit,
                        fmt::format("the decision cache {} has {} bytes, and {} are allowed",
                                    fault.path, fault.bytes, fault.limit),
                        kMoveAway);
          },
          [](const CacheDirectory& fault) {
            return made(Code::io, fmt::format("the folder of the decision cache {} cannot be "
                                              "made: {}",
                                              fault.path, fault.reason));
          },
          [](const CacheWrite& fault) {
            return made(Code::io, fmt::format("the decision cache {} cannot be written: {}",
                                              fault.path, fault.reason));
          },
      },
      error);
}

Error to_error(const InvalidDecision& error) {
  return made(Code::invalid_input,
              fmt::format("workgroup {}x{}x{} for the key \"{}\" is no decision: axes are at least "
                          "1 and keys are UTF-8",
                          error.workgroup[0], error.workgroup[1], error.workgroup[2], error.key));
}

Error to_error(const UnknownMode& error) {
  return made(Code::invalid_input, fmt::format("\"{}\" is not a tuner mode", error.word),
              "use on, natural (or ng), off (or default), or frozen");
}

}  // namespace vyre
