// The modes of the tuner. The environment variable VYRE_AUTOTUNER is read at every call and never
// cached.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>

#include "vyre/tune/errors.h"

namespace vyre {

enum class TunerMode : std::uint8_t {
  sweep,              // "on": measure all candidates now
  natural_gradient,   // "natural", "ng": learn from launches as they happen
  cached_or_default,  // "off", "default": earlier decisions, else the default
  frozen,             // "frozen": the same as off
};

inline constexpr TunerMode kProductionMode = TunerMode::natural_gradient;
inline constexpr const char* kModeVariable = "VYRE_AUTOTUNER";

// The spelling in vectors and JSON: "on", "natural_gradient", "off_use_default", "frozen".
std::string_view wire_name(TunerMode mode);

// The word that a user writes: "on", "natural", "off", "frozen".
std::string_view mode_word(TunerMode mode);

// Matches exactly, including the case.
std::optional<TunerMode> mode_of_word(std::string_view word);

// A word given on a command line.
std::expected<TunerMode, UnknownMode> parse_mode(std::string_view word);

// The production mode if the variable is unset or empty, and, with one warning per process, if it
// holds an unknown word.
TunerMode mode_from_environment();

}  // namespace vyre
