// One kernel out of several that would run one after the other, with the same results to the bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/ir/kernel.h"

namespace vyre {

// A buffer of the pipeline, as the group of stages sees it.
struct FusedBuffer {
  std::string name;
  std::uint64_t bytes = 0;
  // The contents of a uniform, if the host knows them; the fused kernel is right for these contents
  // only.
  std::span<const std::byte> contents = {};
  bool reads_as_zero = false;  // nobody has written it when the group begins
  bool needed_after = true;    // somebody reads it after the group
};

struct StageBinding {
  std::uint32_t group = 0;
  std::uint32_t binding = 0;
  std::size_t buffer = 0;
};

struct KernelStage {
  std::string name;
  const Kernel* kernel = nullptr;
  Extent extent{1, 1, 1};  // the number of invocations on each axis
  std::vector<StageBinding> bindings;
};

struct FusionLimits {
  std::size_t bindings = 64;
  // The most operations for each element of an intermediate that is computed again where it is
  // read.
  double recomputed_operations = 64;
  // The workgroup memory of all stages together, unless one stage alone needs more. Every device
  // has this much.
  std::uint64_t workgroup_bytes = 16384;
};

// What became of a buffer that stages of the group share.
enum class BufferFate : std::uint8_t {
  memory,      // it is read and written as before
  registers,   // written to memory, and passed on in registers
  dropped,     // passed on in registers alone: it needs no memory
  recomputed,  // computed where it is read: it needs no memory
};
std::string_view to_string(BufferFate fate);

struct FusedKernel {
  Kernel kernel;
  Extent extent{1, 1, 1};
  std::vector<std::size_t> bindings;  // the buffer at group 0, binding i
  std::vector<BufferFate> fates;      // one for each buffer
};

enum class RefusalReason : std::uint8_t {
  extents_differ,         // the stages have other numbers of invocations
  key_not_injective,      // invocations may share an element of the buffer
  other_element_read,     // a later stage reads elements that other invocations write
  neighbour_overwritten,  // a later stage overwrites elements that other invocations read
  workgroup_differs,      // a stage needs its workgroup, and the last stage has another
  atomic_result_used,     // an atomic's result depends on the order of invocations
  atomics_mixed,          // a buffer is accessed both by atomics and in other ways
  seen_as_two_types,      // the stages see a buffer that one of them writes as different types
  accessed_as_a_whole,    // an access is not to an element of an array
  too_many_bindings,
  too_much_workgroup_memory,
  too_much_recomputation,
  too_large,        // a program is too large to be examined
  not_expressible,  // the result is no valid program
};
std::string_view to_string(RefusalReason reason);

struct FusionRefusal {
  RefusalReason reason{};
  std::size_t stage = 0;              // the later one of the two stages that cannot be fused
  std::optional<std::size_t> buffer;  // the buffer that prevents it
  double count = 0;                   // bindings, bytes, or operations for each element
  std::string detail = {};
};
// A sentence with the names of stages and buffers.
std::string describe(const FusionRefusal& refusal, std::span<const KernelStage> stages,
                     std::span<const FusedBuffer> buffers);

// The stages, in order, as one kernel.
std::expected<FusedKernel, FusionRefusal> fuse_kernels(std::span<const KernelStage> stages,
                                                       std::span<const FusedBuffer> buffers,
                                                       const FusionLimits& limits = {});

}  // namespace vyre
