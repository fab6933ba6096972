// A device as plans and launch feedback see it. It is made once and used for every launch, because
// its id is a hash.
#pragma once

#include <filesystem>

#include "vyre/target/limits.h"
#include "vyre/tune/decisions/decision_keys.h"

namespace vyre {

struct Adapter {
  Limits limits;
  DeviceIdentity identity;          // empty where only limits are known
  AdapterId id;                     // a hash of the limits and the identity
  std::filesystem::path decisions;  // the decision file of this device
};

// Sets `decisions` to the adapter's file in the user's cache folder; callers may change it.
Adapter make_adapter(Limits limits, DeviceIdentity identity = {});

}  // namespace vyre
