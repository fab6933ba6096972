// The number of invocations of a launch for which the caller gives no size: as many as a buffer has
// elements.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/base/extent.h"
#include "vyre/ir/kernel.h"

namespace vyre {

// The buffer that decides: the largest output, or the largest buffer if the program spans
// everything (it has atomics or workgroup memory) or has no output. Buffers with absent counts are
// ignored. Null: no buffer has a count.
template <class Range, class Count, class IsOutput>
auto* covering_buffer(Range& buffers, bool spans_everything, Count&& count, IsOutput&& is_output) {
  decltype(&*buffers.begin()) largest = nullptr;
  decltype(&*buffers.begin()) largest_output = nullptr;
  for (auto& buffer : buffers) {
    if (!count(buffer)) continue;
    if (largest == nullptr || *count(buffer) > *count(*largest)) largest = &buffer;
    if (!is_output(buffer)) continue;
    if (largest_output == nullptr || *count(buffer) > *count(*largest_output)) {
      largest_output = &buffer;
    }
  }
  return spans_everything || largest_output == nullptr ? largest : largest_output;
}

struct CountedBuffer {
  std::string_view name;
  std::optional<std::uint64_t> elements;  // absent: the launch decides
  bool is_output = false;
  bool runtime_sized = false;
};

struct InferredExtent {
  Extent extent{};
  std::uint64_t elements = 0;       // of the buffer that decided
  std::string from;                 // "the elements of y, in whole workgroups"
  std::vector<std::string> longer;  // buffers with more elements: "x (227,160)"
};

// Only for workgroups with one axis. A program that depends on its workgroup runs in whole
// workgroups.
Result<InferredExtent> infer_extent(const Kernel& kernel, std::span<const CountedBuffer> buffers);

}  // namespace vyre
