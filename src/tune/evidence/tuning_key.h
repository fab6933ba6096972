// What a tuned choice depends on, and the names of the choices.
//
// A key says which program, in which size, on which device. The evidence of one key never answers
// for another, except within a size bucket; a key that is near is a typed hint.
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
  std::string program{};  // what identifies the code: a fingerprint in hex, or a text of the user's
  std::string name{};     // what a person calls it; not part of the identity
  std::string overrides{};  // settings that are not searched: "TILE=16 FAST=true", ordered by name
  std::string size{};       // "1000x1x1"; empty where size does not matter
  std::string device{};     // "NVIDIA H200"
  std::string driver{};     // "580.159"
  std::string generator{};  // of the code: a new one may give different code

  bool operator==(const TuningKey&) const = default;
};

// "t1-" and 32 hexadecimal digits of everything but the name.
std::string key_id(const TuningKey& key);

// The sizes that share a choice: each axis of "A", "AxB" or "AxBxC" up to the next power of two, as
// "<=1024x1x1"; a size that is no such text is its own bucket.
std::string size_bucket(std::string_view size);
// The same key for all sizes of its bucket.
TuningKey bucket_key(TuningKey key);
std::string size_text(const Extent& extent);

// One candidate by its parameters, in the order of the space: {"workgroup", "256x1x1"}, ...
// As text "workgroup=256x1x1 items=4": names and values have neither spaces nor "=".
using Configuration = std::vector<std::pair<std::string, std::string>>;
std::string to_string(const Configuration& configuration);
Result<Configuration> parse_configuration(std::string_view text);

}  // namespace vyre
