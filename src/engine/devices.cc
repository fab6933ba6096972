#include "vyre/engine/devices.h"

#include <fmt/format.h>

#include "vyre/device/null/null_device.h"

namespace vyre {

std::vector<DeviceStatus> list_devices() { return {{.name = "cpu", .missing = {}}}; }

Result<std::shared_ptr<Device>> open_device(std::string_view name, const CpuOptions& cpu) {
  if (name == "cpu" || name == "auto") return CpuDevice::make(cpu);
  if (name == "null") return NullDevice::make();
  return fail(Code::unavailable, fmt::format("there is no device '{}'", name),
              "`vyre devices` lists those there are");
}

}  // namespace vyre
