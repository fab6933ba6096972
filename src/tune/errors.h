// The errors of the tuner, as structs with their values. wire_name() is the name of the kind in
// vectors and JSON; to_error() makes a message for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "vyre/base/error.h"
#include "vyre/base/extent.h"

namespace vyre {

// A step of the natural-gradient policy.
struct EmptyMeasurements {
  bool operator==(const EmptyMeasurements&) const = default;
};
struct ZeroTemperature {
  bool operator==(const ZeroTemperature&) const = default;
};
struct FisherShape {
  std::size_t measurements = 0;
  std::size_t cells = 0;
  bool operator==(const FisherShape&) const = default;
};
using PolicyError = std::variant<EmptyMeasurements, ZeroTemperature, FisherShape>;

// The file of a decision cache.
struct CacheNotToml {
  std::string path;
  std::string detail;  // what the parser found, and where
  bool operator==(const CacheNotToml&) const = default;
};
struct CacheUnreadable {
  std::string path;
  std::string reason;
  bool operator==(const CacheUnreadable&) const = default;
};
struct CacheTooLarge {
  std::string path;
  std::uint64_t bytes = 0;
  std::uint64_t limit = 0;
  bool operator==(const CacheTooLarge&) const = default;
};
struct CacheDirectory {
  std::string path;
  std::string reason;
  bool operator==(const CacheDirectory&) const = default;
};
struct CacheWrite {
  std::string path;
  std::string reason;
  bool operator==(const CacheWrite&) const = default;
};
using CacheError =
    std::variant<CacheNotToml, CacheUnreadable, CacheTooLarge, CacheDirectory, CacheWrite>;

// A decision that no file can hold: a workgroup with a zero axis, or a key that is not UTF-8.
struct InvalidDecision {
  std::string key;
  Extent workgroup{};
  bool operator==(const InvalidDecision&) const = default;
};

// A mode on a command line.
struct UnknownMode {
  std::string word;
  bool operator==(const UnknownMode&) const = default;
};

std::string_view wire_name(const PolicyError& error);
std::string_view wire_name(const CacheError& error);

Error to_error(const PolicyError& error);
Error to_error(const CacheError& error);
Error to_error(const InvalidDecision& error);
Error to_error(const UnknownMode& error);

}  // namespace vyre
