// One device as plans and launch feedback know it. Made once and used for every launch, because its
// id takes a hash.
#pragma once

#include <filesystem>

#include "vyre/target/limits.h"
#include "vyre/tune/decisions/decision_keys.h"

namespace vyre {

struct Adapter {
  Limits limits;
  DeviceIdentity identity;          // empty where only limits are known
  AdapterId id;                     // of the limits and the identity
  std::filesystem::path decisions;  // the file of this device's decisions
};

// `decisions` is the adapter's file in the user's cache folder; callers may put another there.
Adapter make_adapter(Limits limits, DeviceIdentity identity = {});

}  // namespace vyre
