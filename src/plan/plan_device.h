// What planning knows about a device, as plain data. The code that opens a device fills it in.
#pragma once

#include <cstdint>
#include <string>

#include "vyre/plan/adapter.h"
#include "vyre/target/limits.h"
#include "vyre/target/profile.h"
#include "vyre/target/target.h"
#include "vyre/tune/evidence/tuning_key.h"

namespace vyre {

struct PlanDevice {
  std::string name;  // "cpu", "cuda:0", "null"
  TargetKind kind = TargetKind::host;
  Limits limits;
  Profile profile;
  bool limits_alone = false;       // there is neither a profile nor a code generator
  std::uint32_t vector_width = 1;  // lanes of one native f32 vector, on the CPU
  std::string generator;           // version of the code generator
  std::uint32_t processors = 1;    // on the CPU: those that the process may use
};

// The key of a launch in the evidence. `identity` is the program's fingerprint in hex, or a text
// that stands for all settings of its overrides. A launch that counts workgroups has a separate
// key, because its workgroup is fixed.
TuningKey tuning_key_of(const PlanDevice& device, std::string identity, std::string name,
                        const Extent& extent, bool in_workgroups);

// The device as the specification's decision file identifies it.
Adapter adapter_of(const PlanDevice& device);

}  // namespace vyre
