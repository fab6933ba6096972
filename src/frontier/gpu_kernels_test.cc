// The kernels of every included graph program compile for NVIDIA GPUs, with workgroups of many
// workers. That they run there is not tested here.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "vyre/data/graph/graph.h"
#include "vyre/engine/session.h"
#include "vyre/frontier/functions.h"
#include "vyre/frontier/synthesis.h"
#include "vyre/ir/interpret/interpret.h"
#include "vyre/lower/gpu_compile.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

FrontierFunctions functions_of(const std::string& name) {
  std::ifstream file(std::string(VYRE_ROOT_DIR) + "/examples/graph/" + name + ".wgsl");
  std::ostringstream text;
  text << file.rdbuf();
  const ParsedModule parsed = parse_wgsl(text.str(), name, {.functions = true});
  EXPECT_TRUE(parsed.module) << parsed.message();
  std::vector<NamedFunction> named;
  for (const ModuleFunction& f : parsed.module->functions) named.push_back({f.name, f.id});
  auto found = find_functions(*parsed.module->library, named, {}, {});
  EXPECT_TRUE(found) << describe(found.error());
  return *std::move(found);
}

bool can_make(const FrontierFunctions& f, FrontierKernel kernel) {
  using enum FrontierKernel;
  switch (kernel) {
    case init: return f.init.has_value();
    case gather:
    case apply: return f.gather.has_value();
    case pull: return f.wants.has_value();
    case pull_after: return f.wants && f.after;
    case after_queue:
    case after_bits: return f.after.has_value();
    case push_queue:
    case push_hybrid:
    case push_bits:
    case hubs_queue:
    case hubs_bits:
    case crowd:
    case solo: return f.visit.has_value();
    default: return true;
  }
}

TEST(FrontierGpuKernels, CompileToPtx) {
  std::size_t compiled = 0;
  for (const char* name : {"bfs", "sssp", "components", "pagerank", "kcore"}) {
    const FrontierFunctions functions = functions_of(name);
    for (std::size_t i = 0; i < kFrontierKernels; ++i) {
      const auto which = static_cast<FrontierKernel>(i);
      if (!can_make(functions, which)) continue;
      SCOPED_TRACE(std::string(name) + " " + std::string(to_string(which)));
      const std::uint32_t lanes = which == FrontierKernel::solo    ? 1024
                                  : which == FrontierKernel::crowd ? 512
                                                                   : 256;
      const auto kernel = make_frontier_kernel(functions, which, lanes);
      ASSERT_TRUE(kernel) << describe(kernel.error());
      const auto code = compile_gpu(*kernel, {.workgroup = {lanes, 1, 1}}, {.processor = "sm_90"});
      ASSERT_TRUE(code) << describe(code.error());
      if (const char* folder = std::getenv("VYRE_KEEP_PTX")) {
        std::ofstream(std::string(folder) + "/" + name + "_" + std::string(to_string(which)) +
                      ".ptx")
            << code->ptx;
      }
      ++compiled;
    }
  }
  EXPECT_EQ(compiled, 75U);
}

// A lane whose next edge would have a number beyond 2^32 has no next edge.
TEST(FrontierGpuKernels, CountEdgesWhoseNumbersAreNearlyTooLarge) {
  const FrontierFunctions functions = functions_of("bfs");
  const auto kernel = make_frontier_kernel(functions, FrontierKernel::count_incoming, 64);
  ASSERT_TRUE(kernel) << describe(kernel.error());
  // The first of so many workgroups that the lanes 0 to 61 have two edges each. They read beyond
  // the columns, which gives the vertex 0.
  std::vector<std::uint32_t> inputs(control::kInputs), words(control::kGroupWords);
  std::vector<std::uint32_t> columns(1), counts(1);
  inputs[control::count] = 0xFFFFFFFE;
  inputs[control::workers] = 0xFFFFFFC0 / 64;
  std::vector<BoundBuffer> bound;
  const auto bind = [&](EngineBuffer which, std::span<std::uint32_t> memory) {
    bound.push_back({.group = functions.group,
                     .binding = static_cast<std::uint32_t>(which),
                     .bytes = std::as_writable_bytes(memory)});
  };
  bind(EngineBuffer::control, words);
  bind(EngineBuffer::inputs, inputs);
  bind(EngineBuffer::columns, columns);
  bind(EngineBuffer::counts, counts);
  InterpretOptions options;
  options.step_budget = 1'000'000;
  const auto ran = interpret(*kernel, bound, {.grid = {1, 1, 1}, .extent = {64, 1, 1}}, options);
  ASSERT_TRUE(ran) << describe(ran.error());
  EXPECT_EQ(counts[0], 64U + 62U);
}

}  // namespace
}  // namespace vyre
