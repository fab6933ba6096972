// Kernels out of WGSL, and PTX out of kernels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vyre/ir/kernel.h"
#include "vyre/lower/gpu_compile.h"

namespace vyre {

// The entry points of a text that are to be valid.
std::vector<Kernel> kernels_of(const std::string& text);

Limits gpu_limits();
Variant variant_of(const Kernel& kernel, std::uint32_t items = 1,
                   ItemLayout layout = ItemLayout::strided);
std::string ptx_of(const Kernel& kernel, const Variant& variant, GpuOptions options = {});

std::size_t count(std::string_view text, std::string_view what);
// The lines that have one of these, in order.
std::vector<std::string> lines_with(std::string_view text, std::vector<std::string_view> any);

}  // namespace vyre
