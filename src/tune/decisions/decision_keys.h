// The keys of decisions: the BLAKE3 of everything that a decision depends on, as text. Each key
// begins with its format, so that formats cannot be confused.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "vyre/base/digest.h"
#include "vyre/base/extent.h"
#include "vyre/target/limits.h"

namespace vyre {

// ASCII letters, digits and hyphens, of a fixed length, without an allocation.
template <std::size_t kLength>
struct KeyText {
  std::array<char, kLength> characters{};

  std::string_view view() const { return {characters.data(), kLength}; }
  operator std::string_view() const { return view(); }
  bool operator==(const KeyText&) const = default;
};

using ProgramKey = KeyText<3 + 64>;    // "v1-" and hex
using FeedbackKey = KeyText<10 + 64>;  // "launch-v1-" and hex
using AdapterId = KeyText<18 + 64>;    // "launch-adapter-v2-" and hex

// A launch as the tuner sees it.
struct ProgramShape {
  Extent workgroup{};
  std::optional<Extent> workgroup_count;
  std::uint64_t output_bytes = 0;

  bool operator==(const ProgramShape&) const = default;
};

ProgramKey program_key(const Digest& fingerprint, const ProgramShape& shape);

// The key of a launch's selected workgroup. The backend's name is not part of it.
FeedbackKey feedback_key(const Digest& fingerprint, const Extent& declared,
                         std::uint32_t element_count, const Limits& limits);

// The properties of a device, beside its limits, on which decisions depend.
struct DeviceIdentity {
  std::string device;
  std::string driver_version;
  std::string code_generator_version;

  auto operator<=>(const DeviceIdentity&) const = default;
};

// The name of the decision file of a device.
AdapterId adapter_id(const Limits& limits, const DeviceIdentity& identity);

// The fingerprint read as eight little-endian words: an approximate identity for caches.
std::array<std::uint32_t, 8> fingerprint_words(const Digest& fingerprint);

}  // namespace vyre
