// A device that runs nothing and records every request, for tests and for showing what a program
// would launch. Its memory is real: what is written can be read back.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "vyre/base/process/fork_watch.h"
#include "vyre/device/device.h"

namespace vyre {

// One recorded request.
struct NullRecord {
  enum class Kind : std::uint8_t { launch, write, read, copy, clear };

  Kind kind = Kind::launch;
  std::string kernel{};                 // of a launch
  std::vector<BoundMemory> bindings{};  // of a launch; otherwise the memory concerned
  Extent grid{}, extent{}, workgroup{};
};

class NullDevice final : public Device, public std::enable_shared_from_this<NullDevice> {
 public:
  static std::shared_ptr<NullDevice> make();
  ~NullDevice() override;

  std::string_view name() const override { return "null"; }
  const Limits& limits() const override { return limits_; }
  Result<Profile> profile() override;
  Target target() const override { return {}; }
  bool runs() const override { return false; }
  LaunchCosts launch_costs() const override { return {.plays_at_once = true}; }
  Result<MemoryInfo> memory_info() override;
  Result<DeviceMemory> allocate(std::uint64_t bytes) override;
  Result<DeviceCode> finish(DeviceCode code) override { return code; }
  Result<std::shared_ptr<const LoadedCode>> load(DeviceCode code) override;
  Result<std::shared_ptr<Queue>> make_queue() override;

  std::vector<NullRecord> records() const;
  void forget();

 private:
  NullDevice();
  friend class NullQueue;
  void remember(NullRecord record);

  Limits limits_;
  mutable ForkSafeMutex mutex_;
  std::vector<NullRecord> records_;
};

}  // namespace vyre
