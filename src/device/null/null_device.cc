#include "vyre/device/null/null_device.h"

#include <cstring>

#include "vyre/device/host_memory.h"

namespace vyre {
namespace {

std::byte* at(BoundMemory memory) {
  return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(memory.address));
}

class NullCode final : public LoadedCode {};

class NullEvent final : public Event {
 public:
  Result<bool> ready() override { return true; }
  Result<void> wait() override { return {}; }
  Result<std::chrono::nanoseconds> since(const Event&) override {
    return std::chrono::nanoseconds(0);
  }
};

}  // namespace

class NullQueue final : public Queue {
 public:
  explicit NullQueue(std::shared_ptr<NullDevice> device) : device_(std::move(device)) {}

  Result<void> launch(const Launch& l) override {
    device_->remember({.kind = NullRecord::Kind::launch,
                       .kernel = std::string(l.kernel),
                       .bindings = {l.bindings.begin(), l.bindings.end()},
                       .grid = l.grid,
                       .extent = l.extent,
                       .workgroup = l.workgroup});
    return {};
  }
  Result<void> write(BoundMemory to, std::span<const std::byte> from) override {
    if (!from.empty()) std::memcpy(at(to), from.data(), from.size());
    return note(NullRecord::Kind::write, to);
  }
  Result<void> read(BoundMemory from, std::span<std::byte> to) override {
    if (!to.empty()) std::memcpy(to.data(), at(from), to.size());
    return note(NullRecord::Kind::read, from);
  }
  Result<void> copy(BoundMemory from, BoundMemory to) override {
    if (from.bytes != 0) std::memmove(at(to), at(from), from.bytes);
    return note(NullRecord::Kind::copy, to);
  }
  Result<void> clear(BoundMemory memory) override {
    if (memory.bytes != 0) std::memset(at(memory), 0, memory.bytes);
    return note(NullRecord::Kind::clear, memory);
  }
  Result<std::shared_ptr<Event>> record() override { return std::make_shared<NullEvent>(); }
  Result<void> wait() override { return {}; }

 private:
  Result<void> note(NullRecord::Kind kind, BoundMemory memory) {
    device_->remember({.kind = kind, .bindings = {memory}});
    return {};
  }

  std::shared_ptr<NullDevice> device_;
};

NullDevice::NullDevice()
    : limits_{.backend = "null",
              .max_threads_per_block = 1024,
              .max_block_dim = {1024, 1024, 1024},
              .max_grid_dim = {0x7FFFFFFFU, 0x7FFFFFFFU, 0x7FFFFFFFU},
              .max_workgroup_bytes = std::uint64_t{1} << 20,
              .max_bindings = 1024} {}

NullDevice::~NullDevice() = default;

std::shared_ptr<NullDevice> NullDevice::make() {
  return std::shared_ptr<NullDevice>(new NullDevice());
}

Result<Profile> NullDevice::profile() { return Profile{.device_name = "null"}; }

Result<MemoryInfo> NullDevice::memory_info() { return host_memory_info(); }

Result<DeviceMemory> NullDevice::allocate(std::uint64_t bytes) {
  return allocate_host_memory(bytes);
}

Result<std::shared_ptr<const LoadedCode>> NullDevice::load(DeviceCode) {
  return std::make_shared<const NullCode>();
}

Result<std::shared_ptr<Queue>> NullDevice::make_queue() {
  return std::make_shared<NullQueue>(shared_from_this());
}

std::vector<NullRecord> NullDevice::records() const {
  const std::scoped_lock lock(mutex_);
  return records_;
}

void NullDevice::forget() {
  const std::scoped_lock lock(mutex_);
  records_.clear();
}

void NullDevice::remember(NullRecord record) {
  const std::scoped_lock lock(mutex_);
  records_.push_back(std::move(record));
}

}  // namespace vyre
