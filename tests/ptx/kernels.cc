#include "kernels.h"

#include <gtest/gtest.h>

#include "vyre/wgsl/module.h"

namespace vyre {

std::vector<Kernel> kernels_of(const std::string& text) {
  std::vector<Kernel> out;
  const auto parsed = parse_wgsl(text, "test.wgsl");
  EXPECT_TRUE(parsed.module.has_value()) << parsed.message();
  if (!parsed.module) return out;
  for (const Program& program : parsed.module->programs) {
    auto kernel = make_kernel(program);
    EXPECT_TRUE(kernel.has_value()) << describe(kernel.error());
    if (kernel) out.push_back(*std::move(kernel));
  }
  return out;
}

Limits gpu_limits() {
  return {.backend = "cuda",
          .max_threads_per_block = 1024,
          .max_block_dim = {1024, 1024, 64},
          .max_grid_dim = {0x7FFFFFFFU, 65535, 65535},
          .binding_alignment = 16};
}

Variant variant_of(const Kernel& kernel, std::uint32_t items, ItemLayout layout) {
  Variant v;
  v.workgroup = kernel.program->workgroup;
  v.items_per_lane = items;
  v.layout = layout;
  return v;
}

std::string ptx_of(const Kernel& kernel, const Variant& variant, GpuOptions options) {
  if (options.processor == "sm_70") options.processor = "sm_90";
  const auto code = compile_gpu(kernel, variant, options);
  EXPECT_TRUE(code.has_value()) << describe(code.error());
  return code ? code->ptx : std::string();
}

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos;
       at = text.find(what, at + what.size())) {
    ++n;
  }
  return n;
}

std::vector<std::string> lines_with(std::string_view text, std::vector<std::string_view> any) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    for (const std::string_view what : any) {
      if (!line.contains(what)) continue;
      out.emplace_back(line);
      break;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace vyre
