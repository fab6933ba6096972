// The facts about an open device and its code generator that the planner needs.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "vyre/base/process/fork_watch.h"
#include "vyre/device/device.h"
#include "vyre/ir/kernel.h"
#include "vyre/plan/plan_device.h"

namespace vyre {

PlanDevice plan_device_of(Device& device);

// The default gang of every kernel that was asked for, computed once for each.
class DefaultGangs {
 public:
  std::uint32_t of(const Kernel& kernel);

 private:
  ForkSafeMutex mutex_;
  std::map<Digest, std::uint32_t> gangs_;
};

// The processors that this process may run on.
unsigned processors_here();

}  // namespace vyre
