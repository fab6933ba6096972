// The devices on which kernels can run, and how to open one.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/device/cpu/cpu_device.h"
#include "vyre/device/device.h"

namespace vyre {

struct DeviceStatus {
  std::string name;     // "cpu", "cuda:0"; "cuda" when no such device can be opened
  std::string missing;  // why it cannot be opened; empty when it can
};

// Every device that computes, the fastest first. The null device is not among them.
std::vector<DeviceStatus> list_devices();

// "cpu", "cuda" (the first), "cuda:N", "null", or "auto": the first of list_devices() that is
// there. `code_folder` keeps small helper kernels of a GPU; absent: they are not kept.
Result<std::shared_ptr<Device>> open_device(
    std::string_view name, const CpuOptions& cpu,
    const std::optional<std::filesystem::path>& code_folder = {});

}  // namespace vyre
