// How the tuner behaves. The environment variable VYRE_AUTOTUNER is read at every question and
// never remembered.
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
  cached_or_default,  // "off", "default": what was decided before, else the default
  frozen,             // "frozen": decisions only, the same answer on every rank and every run
};

inline constexpr TunerMode kProductionMode = TunerMode::natural_gradient;
inline constexpr const char* kModeVariable = "VYRE_AUTOTUNER";

// The spelling in vectors and JSON: "on", "natural_gradient", "off_use_default", "frozen".
std::string_view wire_name(TunerMode mode);

// The word that a user writes for it: "on", "natural", "off", "frozen".
std::string_view mode_word(TunerMode mode);

// Matched exactly: no trimming, no other case.
std::optional<TunerMode> mode_of_word(std::string_view word);

// A word given on a command line.
std::expected<TunerMode, UnknownMode> parse_mode(std::string_view word);

// The production mode when the variable is unset or empty, and, with one warning per process, when
// it holds an unknown word.
TunerMode mode_from_environment();

}  // namespace vyre
