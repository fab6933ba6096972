#include "vyre/engine/plan_facts.h"

#include <sched.h>

#include <algorithm>

#include "vyre/lower/gpu_compile.h"
#include "vyre/lower/host_compile.h"

namespace vyre {
namespace {

constexpr std::size_t kMostGangs = 4096;  // remembered; a program with more kernels asks again

}  // namespace

unsigned processors_here() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

PlanDevice plan_device_of(Device& device) {
  PlanDevice out;
  out.name = device.name();
  out.kind = device.target().kind;
  out.limits = device.limits();
  if (auto profile = device.told_profile()) out.profile = *std::move(profile);
  const bool host = out.kind == TargetKind::host;
  out.vector_width = host ? host_vector_width() : 1;
  out.generator = host ? generator_version() : gpu_generator_version();
  out.processors = host ? processors_here() : 1;
  return out;
}

std::uint32_t DefaultGangs::of(const Kernel& kernel) {
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = gangs_.find(kernel.fingerprint); found != gangs_.end()) {
      return found->second;
    }
  }
  const std::uint32_t gang = host_default_gang(kernel);
  const std::scoped_lock lock(mutex_);
  if (gangs_.size() >= kMostGangs) gangs_.clear();
  gangs_.emplace(kernel.fingerprint, gang);
  return gang;
}

}  // namespace vyre
