// How many invocations a launch has when nobody says: as many as a buffer has elements.
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

// The rule for both kinds of callers: the largest output, or the largest buffer of all where a
// program spans everything (it has atomics or workgroup memory) or has no output. Ranges of
// anything that can be counted; absent counts do not take part. Null: nothing can be counted.
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
  std::optional<std::uint64_t> elements;  // absent: sized by the launch
  bool is_output = false;
  bool runtime_sized = false;
};

struct InferredExtent {
  Extent extent{};
  std::uint64_t elements = 0;       // of the buffer that was taken
  std::string from;                 // "the elements of y, in whole workgroups"
  std::vector<std::string> longer;  // "x (227,160)": buffers with more elements than that
};

// Only for workgroups with one axis. A program that depends on its workgroup runs in whole ones.
Result<InferredExtent> infer_extent(const Kernel& kernel, std::span<const CountedBuffer> buffers);

}  // namespace vyre
