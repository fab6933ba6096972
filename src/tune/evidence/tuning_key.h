// Tuning keys and configurations.
//
// A key names a program, a size and a device. The evidence of one key is never served for another
// one, except within a size bucket; for other near keys it is only a hint.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/base/extent.h"

namespace vyre {

struct TuningKey {
  std::string program{};    // identifies the code: a fingerprint in hex, or the user's text
  std::string name{};       // for people; not part of the identity
  std::string overrides{};  // settings that are not searched: "TILE=16 FAST=true", ordered by name
  std::string size{};       // "1000x1x1"; empty where size does not matter
  std::string device{};     // "NVIDIA H200"
  std::string driver{};     // "580.159"
  std::string generator{};  // the version of the code generator

  bool operator==(const TuningKey&) const = default;
};

// "t1-" and 32 hexadecimal digits that depend on every field except the name.
std::string key_id(const TuningKey& key);

// The sizes that share a choice. Each axis of "A", "AxB" or "AxBxC" is rounded up to a power of
// two:
// "<=1024x1x1". Any other text is its own bucket.
std::string size_bucket(std::string_view size);
// The key that all sizes of the bucket share.
TuningKey bucket_key(TuningKey key);
std::string size_text(const Extent& extent);

// The parameters of one candidate, in the order of the space: {"workgroup", "256x1x1"}, ...
// Written as "workgroup=256x1x1 items=4"; names and values contain neither spaces nor "=".
using Configuration = std::vector<std::pair<std::string, std::string>>;
std::string to_string(const Configuration& configuration);
Result<Configuration> parse_configuration(std::string_view text);

}  // namespace vyre
