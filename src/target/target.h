// The target of generated code.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace vyre {

enum class TargetKind : std::uint8_t {
  host,   // machine code for the CPU of this machine
  nvptx,  // PTX for an NVIDIA GPU
};

std::string_view to_string(TargetKind kind);

struct Target {
  TargetKind kind = TargetKind::host;
  // The processor: an LLVM CPU name for the host ("znver4"), "sm_90" for a GPU.
  std::string processor{};

  auto operator<=>(const Target&) const = default;
};

// "nvptx:sm_90"
std::string to_string(const Target& target);

}  // namespace vyre
