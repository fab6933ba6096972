// What planning knows of a device, as plain data: whoever opens a device fills it in.
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
  bool limits_alone = false;       // neither a profile nor a code generator is known
  std::uint32_t vector_width = 1;  // lanes of one native f32 vector, on the CPU
  std::string generator;           // version of the code generator
  std::uint32_t processors = 1;    // that this process may run on, on the CPU
};

// The key under which the evidence knows a launch. `identity` is the program's fingerprint in hex,
// or a text that stands for all settings of its overrides. A launch that is counted in workgroups
// has a key of its own, because its workgroup is fixed.
TuningKey tuning_key_of(const PlanDevice& device, std::string identity, std::string name,
                        const Extent& extent, bool in_workgroups);

// The device as the decision file of the specification knows it.
Adapter adapter_of(const PlanDevice& device);

}  // namespace vyre
