#include "vyre/plan/plan_device.h"

#include <fmt/format.h>

#include <utility>

namespace vyre {

TuningKey tuning_key_of(const PlanDevice& device, std::string identity, std::string name,
                        const Extent& extent, bool in_workgroups) {
  TuningKey key;
  key.program = std::move(identity);
  key.name = std::move(name);
  if (in_workgroups) key.overrides = "counted in workgroups";
  key.size = size_text(extent);
  key.device = device.profile.device_name.empty() ? device.name : device.profile.device_name;
  key.driver = device.profile.driver;
  key.generator = device.generator;
  // With fewer processors, decisions may differ: the key treats it as another device.
  if (device.kind == TargetKind::host) key.device += fmt::format(" x{}", device.processors);
  return key;
}

Adapter adapter_of(const PlanDevice& device) {
  if (device.limits_alone) return make_adapter(device.limits);
  return make_adapter(device.limits, {.device = device.profile.device_name,
                                      .driver_version = device.profile.driver,
                                      .code_generator_version = device.generator});
}

}  // namespace vyre
