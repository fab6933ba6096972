// The kernels of bench/corpus at their smallest size: devices compute what the interpreter
// computes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "case.h"
#include "support/runner.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

const std::vector<std::filesystem::path>& files() {
  static const auto all = bench::corpus_files(VYRE_CORPUS_DIR);
  return all;
}

Result<Kernel> kernel_of(const bench::Case& c) {
  const auto parsed = parse_wgsl(c.text, c.path.filename().string());
  if (!parsed.module) return fail(Code::invalid_input, parsed.message());
  const Program* program = parsed.module->find(c.name);
  if (program == nullptr) return fail(Code::invalid_input, "no entry point " + c.name);
  return make_kernel(*program);
}

// In the order of the program's resources; the buffers of the case are in the order of bindings.
Data data_of(const bench::Case& c, const Program& program) {
  Data out;
  for (const Global* g : resources(program)) {
    EXPECT_LT(g->binding, c.buffers.size()) << g->name;
    if (g->binding >= c.buffers.size()) continue;
    EXPECT_EQ(g->name, c.buffers[g->binding].name);
    out.push_back(c.buffers[g->binding].bytes);
  }
  EXPECT_EQ(out.size(), c.buffers.size());
  return out;
}

const std::vector<Runner>& runners() {
  static const auto all = [] {
    std::vector<Runner> out;
    for (const std::string& device : devices_to_test()) {
      if (auto runner = Runner::open(device, 2)) out.push_back(*std::move(runner));
    }
    return out;
  }();
  return all;
}

class Corpus : public testing::TestWithParam<std::size_t> {};

TEST_P(Corpus, AgreesWithTheInterpreter) {
  const auto c = bench::load_case(files()[GetParam()], bench::CaseSize::test);
  ASSERT_TRUE(c) << describe(c.error());
  const auto kernel = kernel_of(*c);
  ASSERT_TRUE(kernel) << describe(kernel.error());
  const Data data = data_of(*c, *kernel->program);
  Extent extent = c->run;
  for (unsigned i = 0; i < 3 && c->in_groups; ++i) extent[i] *= kernel->program->workgroup[i];
  const auto want = run_interpreter(*kernel, data, extent);
  ASSERT_TRUE(want) << describe(want.error());
  for (const Runner& runner : runners()) {
    Data got = data;
    const auto ran = runner.run(*kernel, got, extent, runner.default_variant(*kernel));
    ASSERT_TRUE(ran) << describe(ran.error());
    const double tolerance = std::max(c->relative, c->absolute);
    EXPECT_EQ(first_difference(*kernel->program, want->data, got, tolerance), "")
        << runner.device();
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Corpus, testing::Range(std::size_t{0}, files().size()),
                         [](const auto& info) { return files()[info.param].stem().string(); });

}  // namespace
}  // namespace vyre
