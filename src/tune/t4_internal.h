// The words of T4 files, for reading and writing them.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "vyre/tune/t4.h"

namespace vyre {

inline constexpr double kT4NsPerMs = 1e6;

inline constexpr std::array<std::pair<std::string_view, T4Invalidity>, 6> kT4Invalidities{{
    {"correct", T4Invalidity::correct},
    {"timeout", T4Invalidity::timeout},
    {"compile", T4Invalidity::compile},
    {"runtime", T4Invalidity::runtime},
    {"correctness", T4Invalidity::correctness},
    {"constraints", T4Invalidity::constraints},
}};

// Of metadata.vyre_key.
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
