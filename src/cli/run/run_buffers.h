// The buffers of one run: where their bytes come from, how many there are, and over what extent the
// kernel runs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vyre/cli/run/run.h"
#include "vyre/data/buffer_data.h"
#include "vyre/device/device.h"
#include "vyre/ir/interpret/interpret.h"
#include "vyre/plan/bindings/kernel_bindings.h"
#include "vyre/plan/launch_request.h"

namespace vyre {

// Memory that begins as zeros, as devices on the host like it, and takes up room only where it is
// touched.
class ZeroedBytes {
 public:
  ZeroedBytes() = default;
  static Result<ZeroedBytes> make(std::uint64_t size);

  std::span<std::byte> span() { return {memory_.host, memory_.bytes}; }
  std::span<const std::byte> span() const { return {memory_.host, memory_.bytes}; }
  std::uint64_t size() const { return memory_.bytes; }

 private:
  DeviceMemory memory_;
};

struct RunBuffer {
  std::string name;
  std::uint32_t group = 0, binding = 0;
  MemoryKind memory = MemoryKind::storage;
  Access access = Access::read;
  BufferLayout layout;
  std::string type;

  std::optional<DataSource> source;       // what the user gave
  OpenedData opened;                      // of the source, until they are in `bytes`
  std::vector<std::uint64_t> shape;       // of the user's .npy file
  std::optional<std::uint64_t> elements;  // once known
  ZeroedBytes bytes;

  bool is_output() const { return memory == MemoryKind::storage && access != Access::read; }
  BindingRole role() const { return role_of(memory, access, source.has_value()); }
};

// The buffer as files see it.
BufferData data_of(const Kernel& kernel, const RunBuffer& buffer);

struct RunPlan {
  std::vector<RunBuffer> buffers;  // by (group, binding)
  LaunchShape shape;
  Extent extent{};  // exactly these invocations run
  // The kernel works by workgroups, and not all invocations of the last ones run.
  bool cuts_workgroups = false;
  std::string extent_reason;        // "--size", "--grid", or how it was inferred
  bool in_workgroups = false;       // --grid: the launch counts workgroups
  std::vector<std::string> longer;  // buffers with more elements than an inferred extent covers

  DispatchSize size() const {
    return in_workgroups ? DispatchSize::workgroups(shape.grid) : DispatchSize::extent(extent);
  }
  std::vector<BindingBytes> bytes() const;  // of the buffers, as they are bound
};

// Opens and reads the files and decides the extent and the size of every buffer, without memory for
// them. Where inputs may be missing, one without data has an element for each invocation.
Result<RunPlan> size_run(const Kernel& kernel, const RunOptions& options, bool may_miss_inputs);

// The shape that a file of the buffer has: that of the data it was given; for an image, else that
// of an extent of two axes, or of another image with as many pixels. Empty: nothing says it.
std::vector<std::uint64_t> output_shape(const RunPlan& plan, const RunBuffer& buffer,
                                        const DataSink& sink);

// Opens and reads the files, decides the extent, fills every buffer. Fails, with nothing run, when
// anything is missing, unknown, of the wrong type or size, or does not fit in memory.
Result<RunPlan> plan_run(const Kernel& kernel, const RunOptions& options);

// Bytes that this process may still take, by its limits and those of its containers and machine.
std::uint64_t available_memory();

}  // namespace vyre
