#include "vyre/plan/bindings/extent_inference.h"

#include <fmt/format.h>

#include <algorithm>

#include "vyre/base/arithmetic.h"
#include "vyre/tune/evidence/tuning_key.h"

namespace vyre {

Result<InferredExtent> infer_extent(const Kernel& kernel, std::span<const CountedBuffer> buffers) {
  const std::string& name = kernel.program->name;
  const Extent& workgroup = kernel.program->workgroup;
  if (workgroup[1] != 1 || workgroup[2] != 1) {
    return fail(Code::invalid_input,
                fmt::format("{} has workgroups of {}, so the number of invocations cannot be "
                            "inferred",
                            name, size_text(workgroup)),
                "give --size X,Y[,Z] (invocations) or --grid X,Y[,Z] (workgroups)");
  }
  const bool spans_everything = kernel.stats.atomics > 0 || kernel.stats.workgroup_bytes > 0;
  const CountedBuffer* chosen = covering_buffer(
      buffers, spans_everything, [](const CountedBuffer& b) { return b.elements; },
      [](const CountedBuffer& b) { return b.is_output; });
  const auto waiting =
      std::ranges::find_if(buffers, [](const CountedBuffer& b) { return !b.elements; });
  const bool sized_by_data = std::ranges::any_of(
      buffers, [](const CountedBuffer& b) { return b.runtime_sized && b.elements; });
  if (chosen == nullptr || (waiting != buffers.end() && !sized_by_data)) {
    return fail(Code::invalid_input,
                waiting == buffers.end()
                    ? fmt::format("{} has no buffers that say how many invocations to run", name)
                    : fmt::format("nothing says how many elements {} has", waiting->name),
                "give --size X[,Y[,Z]] (invocations) or --grid X[,Y[,Z]] (workgroups)");
  }
  if (*chosen->elements > UINT32_MAX) {
    return fail(Code::limit, fmt::format("{} has {} elements; a launch has at most {} invocations "
                                         "along an axis",
                                         chosen->name, *chosen->elements, UINT32_MAX));
  }
  InferredExtent out;
  out.elements = *chosen->elements;
  const auto count = static_cast<std::uint32_t>(out.elements);
  out.extent = {count, 1, 1};
  out.from = fmt::format("the elements of {}", chosen->name);
  for (const CountedBuffer& b : buffers) {
    if (!b.elements || *b.elements <= out.elements) continue;
    out.longer.push_back(fmt::format("{} ({})", b.name, *b.elements));
  }
  // The caller did not ask for exactly these invocations, and may need the whole last workgroup.
  const auto whole = checked_mul(ceil_div(count, workgroup[0]), workgroup[0]);
  if (depends_on_workgroup(kernel) && whole && *whole != count) {
    out.extent[0] = *whole;
    out.from += ", in whole workgroups";
  }
  return out;
}

}  // namespace vyre
