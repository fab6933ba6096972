// Several kernels over named buffers, run one after the other and as one.
#pragma once

#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "vyre/fuse/fuse_kernels.h"
#include "vyre/ir/kernel.h"

namespace vyre {

using Bytes = std::vector<std::byte>;

// Runs a kernel on buffers given by slot (group, binding), as a device or the interpreter would.
struct BoundBytes {
  std::uint32_t group;
  std::uint32_t binding;
  Bytes* bytes;
};
using RunKernel =
    std::function<Result<void>(const Kernel&, const std::vector<BoundBytes>&, const Extent&)>;
Result<void> run_in_interpreter(const Kernel& kernel, const std::vector<BoundBytes>& bound,
                                const Extent& extent);

// The ways beside the interpreter in which this program runs kernels: on devices, or none.
std::vector<RunKernel> runs_on_devices();

class Staged {
 public:
  // What the buffer holds at first; the host reads it in the end.
  void buffer(const std::string& name, Bytes bytes);
  void floats(const std::string& name, std::size_t count);  // of different sizes, by the name
  void words(const std::string& name, const std::vector<std::uint32_t>& values);
  // Holds zeros at first, and nobody reads it in the end.
  void temporary(const std::string& name, std::size_t bytes);
  // Contents that the pass knows.
  void uniform(const std::string& name, const std::vector<std::uint32_t>& values);

  // The module's only entry point. A variable is bound to the buffer of its name, or to the one
  // that `rename` says.
  void stage(const std::string& wgsl, Extent extent,
             const std::map<std::string, std::string>& rename = {});
  // A kernel that was made in another way; `text` stands for it in messages.
  void stage(const Kernel& kernel, const std::string& text, Extent extent,
             const std::map<std::string, std::string>& rename = {});

  std::expected<FusedKernel, FusionRefusal> fuse(const FusionLimits& limits = {}) const;
  // The first difference between the fused kernel and the stages one after the other, which the
  // interpreter runs; empty when there is none.
  std::string compare(const FusedKernel& fused, const RunKernel& run = run_in_interpreter) const;
  // The first difference between the stages one after the other, run that way and by the
  // interpreter.
  std::string compare_stages(const RunKernel& run) const;
  std::string describe(const FusionRefusal& refusal) const;
  BufferFate fate(const FusedKernel& fused, const std::string& name) const;
  const std::vector<KernelStage>& kernels() const { return stages_; }
  const std::vector<FusedBuffer>& buffers() const { return buffers_; }
  std::string text() const;  // all kernels, for messages

 private:
  std::size_t index_of(const std::string& name) const;
  // Changes the contents of the buffers, and returns what failed.
  std::string run_stages(std::vector<Bytes>& contents, const RunKernel& run) const;
  std::string difference(const std::vector<Bytes>& want, const std::vector<Bytes>& got) const;

  std::vector<FusedBuffer> buffers_;
  std::deque<Bytes> contents_;
  std::deque<Kernel> kernels_;
  std::vector<KernelStage> stages_;
  std::vector<std::string> texts_;
};

}  // namespace vyre
