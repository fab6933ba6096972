// A Session is what a program holds: a device, compiled kernels, buffers, launches.
//
//   VYRE_TRY(auto session, Session::open("auto", *SessionOptions::from_environment()));
//   VYRE_TRY(auto x, session.buffer(bytes));
//   VYRE_CHECK(session.write(x, 0, data));
//   VYRE_TRY(auto dispatch, session.prepare(kernel, bindings, DispatchSize::extent({n, 1, 1})));
//   VYRE_CHECK(session.run(dispatch));
//
// A Session is a handle: copies share everything. It may be used from many threads at once.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/device/cpu/cpu_device.h"
#include "vyre/device/device.h"
#include "vyre/engine/code_store.h"
#include "vyre/engine/host_copy.h"
#include "vyre/engine/tuning.h"
#include "vyre/ir/kernel.h"
#include "vyre/target/variant.h"

namespace vyre {

class Calls;
class ServedLaunches;
class TunedKernel;
class Tuning;

// One kernel of a program: the overrides that are searched have these values in it.
struct KernelChoice {
  Kernel kernel;
  std::vector<OverrideSetting> overrides{};
};

// Memory of the device. A handle: copies share the memory, and the last one gives it back.
class Buffer {
 public:
  std::uint64_t size() const { return memory_.bytes; }
  // Where the host reaches the bytes (on the CPU); null elsewhere.
  std::byte* host() const { return memory_.host; }
  std::uint64_t address() const { return memory_.address; }

 private:
  friend class Calls;
  friend class Session;
  DeviceMemory memory_;
  std::shared_ptr<Device> device_;
  std::shared_ptr<HostCopy> copy_;  // of a small buffer that the host does not reach
};

// A buffer, or a part of it, for one (group, binding) of a kernel.
struct Binding {
  std::uint32_t group = 0;
  std::uint32_t binding = 0;
  Buffer buffer;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> bytes{};  // absent: to the buffer's end
};

// GPU code that vyre did not make: PTX or a cubin, whose parameters say what they are given. A
// parameter's slot counts the bindings of a dispatch in the order of their (group, binding).
struct OwnKernel {
  std::string name;
  GpuCode code;
  Extent workgroup{1, 1, 1};
  Extent covers{0, 0, 0};  // invocations of one workgroup along each axis; 0: its own size
};

// Which invocations run: a logical extent, or whole workgroups as WebGPU counts them.
struct DispatchSize {
  static DispatchSize extent(Extent e) { return {e, false}; }
  static DispatchSize workgroups(Extent grid) { return {grid, true}; }

  Extent value{1, 1, 1};
  bool in_workgroups = false;
};

// A kernel with its code, bindings and size: run it again and again. Running allocates nothing.
// It keeps the code and the buffers alive.
//
// Of a tuned dispatch, the variant is the one that is best at the moment of asking, with its code's
// facts and its grid.
class Dispatch {
 public:
  const std::string& kernel() const { return kernel_; }
  const Variant& variant() const;
  CodeSource code_source() const;
  CodeFacts facts() const;
  Extent grid() const;
  Extent extent() const { return extent_; }
  // What the tuner knows of it; nothing where it has its variant from the caller.
  std::optional<TuningView> tuning() const;

 private:
  friend class Calls;
  friend class Session;
  std::shared_ptr<Device> device_;
  std::shared_ptr<const LoadedCode> code_;
  std::string kernel_;
  std::vector<BoundMemory> bindings_;
  std::vector<Buffer> buffers_;
  struct Uniform {  // that goes with each launch by value
    std::uint32_t slot = 0, bytes = 0;
    std::uint64_t offset = 0;
    Buffer buffer;
  };
  std::vector<Uniform> uniforms_;
  std::vector<std::shared_ptr<HostCopy>> written_;  // what the host knows of it ends with a launch
  Variant variant_;
  Extent grid_{}, extent_{};
  CodeSource source_ = CodeSource::compiled;
  std::shared_ptr<TunedKernel> tuned_;  // instead of code, variant and grid
  std::shared_ptr<ServedLaunches> served_;
};

struct RunLimits {
  std::optional<std::chrono::nanoseconds> deadline;
  std::atomic<std::uint32_t>* stop = nullptr;  // set from elsewhere: a launch on the CPU ends early
};

struct SessionOptions {
  CpuOptions cpu;
  // Where compiled code is kept; absent: not on disk.
  std::optional<std::filesystem::path> code_folder{};
  // Absent: nothing is tuned, and nothing that was learned is used.
  std::optional<TuningOptions> tuning{};

  // VYRE_THREADS, VYRE_AUTOTUNER and the user's cache folder.
  static Result<SessionOptions> from_environment();
};

class Session {
 public:
  // A name as `list_devices` gives them ("cpu", "cuda:0", "null"), or "auto" for the fastest one.
  static Result<Session> open(std::string_view device, SessionOptions options);
  // On a device that is open already, e.g. a NullDevice whose records are to be read.
  static Result<Session> open(std::shared_ptr<Device> device, SessionOptions options);

  Device& device() const { return *device_; }

  Result<Buffer> buffer(std::uint64_t bytes) const;  // zero at first
  // Memory that stays the caller's, and must outlive the Buffer: the host's, where the device
  // computes there; `address` in the device's space otherwise.
  Result<Buffer> adopt(std::span<std::byte> memory) const;
  Result<Buffer> adopt(std::uint64_t address, std::uint64_t bytes) const;

  // After what was submitted before. The host's bytes are free again when the call returns.
  Result<void> write(const Buffer& buffer, std::uint64_t offset,
                     std::span<const std::byte> bytes) const;
  Result<void> read(const Buffer& buffer, std::uint64_t offset, std::span<std::byte> bytes) const;
  Result<void> clear(const Buffer& buffer) const;
  Result<void> copy(const Buffer& from, std::uint64_t from_offset, const Buffer& to,
                    std::uint64_t to_offset, std::uint64_t bytes) const;

  // Compiles if need be. Without a variant the session's tuning chooses; without that it is the
  // one that `default_variant` gives.
  Result<Dispatch> prepare(const Kernel& kernel, std::span<const Binding> bindings,
                           DispatchSize size, std::optional<Variant> variant = {}) const;
  // The same program with one of several settings of its overrides, whichever is the fastest.
  // `identity` names the program in the evidence, whatever its settings are. All kernels have the
  // same bindings; the size is in invocations unless they all declare the same workgroup.
  Result<Dispatch> prepare(std::string_view identity, std::span<const KernelChoice> choices,
                           std::span<const Binding> bindings, DispatchSize size) const;
  // Only on a GPU. The grid covers the size; what lies beyond it is the kernel's business.
  Result<Dispatch> prepare(const OwnKernel& kernel, std::span<const Binding> bindings,
                           DispatchSize size) const;
  // As declared; on the CPU in vectors as wide as is usually best.
  Variant default_variant(const Kernel& kernel) const;
  // Every variant that a search would choose from, the default one first.
  std::vector<Variant> variants(const Kernel& kernel, DispatchSize size) const;
  // Why a variant cannot run the kernel here; empty when it can.
  std::string why_not(const Kernel& kernel, const Variant& variant) const;

  // Returns when the launch has ended.
  Result<void> run(const Dispatch& dispatch, const RunLimits& limits = {}) const;
  // Returns as soon as the launch is queued; `wait`, or the next read, tells its failure.
  Result<void> submit(const Dispatch& dispatch, const RunLimits& limits = {}) const;
  // What the device takes for one launch, as the mean of so many in a row, which it waits for. Of a
  // tuned dispatch the best variant is timed, and nothing is tried.
  Result<std::chrono::nanoseconds> time(const Dispatch& dispatch, std::uint32_t launches = 1) const;
  // Returns when nothing is compiled in the background any more.
  void wait_for_compilers() const;
  Result<std::shared_ptr<Event>> record() const { return queue_->record(); }
  Result<void> wait() const { return queue_->wait(); }

 private:
  Result<Dispatch> bind(const Kernel& kernel, std::span<const Binding> bindings) const;
  Result<BoundMemory> part(const Buffer& buffer, std::uint64_t offset, std::uint64_t bytes) const;
  void choose_uniforms(const Kernel& kernel, std::span<const Binding> bindings,
                       Dispatch& out) const;
  Result<void> check_dispatch(const Dispatch& dispatch) const;
  Calls calls() const;

  std::shared_ptr<Device> device_;
  std::shared_ptr<Queue> queue_;
  std::shared_ptr<CodeStore> codes_;
  std::shared_ptr<Tuning> tuning_;
  bool on_host_ = false;  // the device computes in the host's memory
};

}  // namespace vyre
