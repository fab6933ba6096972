// The names in T4 files, for reading and writing.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "vyre/tune/evidence/t4.h"

namespace vyre {

inline constexpr double kT4NsPerMs = 1e6;

// The additions of vyre to the schema: its reason why a result is not correct, and the only member
// of a configuration that is not made of parameters.
inline constexpr const char* kT4Rejected = "vyre_rejected";
inline constexpr const char* kT4Candidate = "vyre_candidate";

// To the picosecond, so that a time survives being written in milliseconds and read back.
inline double t4_rounded(double ns) {
  constexpr double kMost = 1e12;  // beyond this a double is coarser
  const double rounded = std::round(ns * 1e3) / 1e3;
  return rounded > 0 && ns < kMost ? rounded : ns;
}

inline constexpr std::array<std::pair<std::string_view, T4Invalidity>, 6> kT4Invalidities{{
    {"correct", T4Invalidity::correct},
    {"timeout", T4Invalidity::timeout},
    {"compile", T4Invalidity::compile},
    {"runtime", T4Invalidity::runtime},
    {"correctness", T4Invalidity::correctness},
    {"constraints", T4Invalidity::constraints},
}};

// The fields of metadata.vyre_key.
inline constexpr std::array<std::pair<std::string TuningKey::*, const char*>, 7> kT4KeyFields{{
    {&TuningKey::program, "program"},
    {&TuningKey::name, "name"},
    {&TuningKey::overrides, "overrides"},
    {&TuningKey::size, "size"},
    {&TuningKey::device, "device"},
    {&TuningKey::driver, "driver"},
    {&TuningKey::generator, "generator"},
}};

}  // namespace vyre
