// A Session is what a program holds: a device, compiled kernels, buffers, launches.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/device/cpu/cpu_device.h"
#include "vyre/engine/code_store.h"
#include "vyre/ir/kernel.h"
#include "vyre/target/variant.h"

namespace vyre {

// Memory of the device, zero at first. On the CPU it is host memory.
class Buffer {
 public:
  std::uint64_t size() const { return size_; }
  std::span<std::byte> bytes() const { return {data_.get(), size_}; }

 private:
  friend class Session;
  std::shared_ptr<std::byte[]> data_;
  std::uint64_t size_ = 0;
};

// A buffer, or a part of it, for one (group, binding) of a kernel.
struct Binding {
  std::uint32_t group = 0;
  std::uint32_t binding = 0;
  std::span<std::byte> bytes;
};

// Which invocations run: a logical extent, or whole workgroups as WebGPU counts them.
struct DispatchSize {
  static DispatchSize extent(Extent e) { return {e, false}; }
  static DispatchSize workgroups(Extent grid) { return {grid, true}; }

  Extent value{1, 1, 1};
  bool in_workgroups = false;
};

// A kernel with its code, bindings and size: run it again and again. Running allocates nothing.
// It keeps the code alive, not the buffers.
class Dispatch {
 public:
  const Variant& variant() const { return variant_; }
  CodeSource code_source() const { return source_; }
  Extent grid() const { return grid_; }
  Extent extent() const { return extent_; }

 private:
  friend class Session;
  std::shared_ptr<const HostCode> code_;
  std::string kernel_;
  std::vector<HostBinding> bindings_;
  Variant variant_;
  Extent grid_{}, extent_{};
  CodeSource source_ = CodeSource::compiled;
};

struct RunLimits {
  std::optional<std::chrono::nanoseconds> deadline;
  std::atomic<std::uint32_t>* stop = nullptr;  // set from elsewhere: the launch ends early
};

struct SessionOptions {
  CpuOptions cpu;
  // Where compiled code is kept; absent: not on disk.
  std::optional<std::filesystem::path> code_folder;

  // VYRE_THREADS and the user's cache folder.
  static Result<SessionOptions> from_environment();
};

class Session {
 public:
  // "cpu", or "auto" for the fastest device that is there.
  static Result<Session> open(std::string_view device, SessionOptions options);

  Result<Buffer> buffer(std::uint64_t bytes) const;

  // Compiles if need be. Without a variant, the one that `default_variant` gives.
  Result<Dispatch> prepare(const Kernel& kernel, std::span<const Binding> bindings,
                           DispatchSize size, std::optional<Variant> variant = {}) const;
  Result<void> run(const Dispatch& dispatch, const RunLimits& limits = {}) const;

  const CpuDevice& cpu() const { return *cpu_; }

 private:
  std::shared_ptr<CpuDevice> cpu_;
  std::shared_ptr<CodeStore> codes_;
};

// The variant that runs before anything was measured: native vectors, or fewer lanes where a
// workgroup has not so many in a row.
Variant default_variant(const Kernel& kernel);

}  // namespace vyre
