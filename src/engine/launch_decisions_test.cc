#include "vyre/engine/launch_decisions.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "vyre/base/temporary_folder_testing.h"
#include "vyre/engine/session.h"
#include "vyre/plan/kernel_facts.h"
#include "vyre/plan/launch_feedback.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

constexpr const char* kText = R"(
@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(64) fn twice(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&y)) { y[id.x] = 2u * id.x; }
}
@compute @workgroup_size(64) fn local(@builtin(local_invocation_id) id: vec3<u32>) {
  y[id.x] = id.x;
}
)";

Kernel kernel_of(std::string_view entry) {
  static const ParsedModule parsed = parse_wgsl(kText);
  return *make_kernel(*parsed.module->find(entry));
}

constexpr Extent kSize{3000, 1, 1};

class LaunchDecisions : public testing::Test {
 protected:
  LaunchDecisions() { ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1); }
  ~LaunchDecisions() override { ::unsetenv("XDG_CACHE_HOME"); }

  SessionOptions options(TunerMode mode) const {
    SessionOptions out;
    out.cpu.threads = 1;
    out.tuning = TuningOptions{};
    out.tuning->mode = mode;
    out.tuning->evidence = folder_.path() / "evidence.jsonl";
    return out;
  }
  static Result<Dispatch> prepare(const Session& session, const Kernel& kernel) {
    const std::vector<Binding> bindings{
        {.group = 0, .binding = 0, .buffer = *session.buffer(kSize[0] * 4)}};
    return session.prepare(kernel, bindings, DispatchSize::extent(kSize));
  }
  static Adapter adapter(const Session& session) {
    return adapter_of(session.device(), *session.device().told_profile());
  }

  TemporaryFolder folder_;
};

TEST_F(LaunchDecisions, WhatTheTunerDecidedIsWhatPlansResolve) {
  const Session session = *Session::open("cpu", options(TunerMode::frozen));
  const Kernel kernel = kernel_of("twice");
  EXPECT_EQ(why_plans_keep_it(kernel, kSize), "");
  EXPECT_FALSE(planned_workgroup(adapter(session), kernel, kSize));
  TuningView view;
  view.variants = {Variant{.workgroup = {64, 1, 1}}, Variant{.workgroup = {256, 1, 1}}};
  view.incumbent = 1;
  const auto workgroup = workgroup_for_plans(view);
  ASSERT_EQ(workgroup, (Extent{256, 1, 1}));
  ASSERT_TRUE(decide_for_plans(adapter(session), kernel, kSize, *workgroup));
  EXPECT_EQ(planned_workgroup(adapter(session), kernel, kSize), workgroup);
  LaunchFeedback feedback;
  const Resolution answer = feedback.resolve(facts_of(kernel), adapter(session), kSize[0]);
  EXPECT_EQ(answer.workgroup, workgroup);
  EXPECT_EQ(answer.source, FeedbackSource::stored);
  // It is of this size alone.
  EXPECT_FALSE(planned_workgroup(adapter(session), kernel, {3001, 1, 1}));
  view.variants[1].workgroup = {16, 16, 1};
  EXPECT_FALSE(workgroup_for_plans(view));
}

TEST_F(LaunchDecisions, ProgramsThatPlansLeaveAloneAreNotDecided) {
  const Session session = *Session::open("cpu", options(TunerMode::frozen));
  const Kernel kernel = kernel_of("local");
  EXPECT_NE(why_plans_keep_it(kernel, kSize), "");
  EXPECT_FALSE(decide_for_plans(adapter(session), kernel, kSize, {128, 1, 1}));
  EXPECT_FALSE(planned_workgroup(adapter(session), kernel, kSize));
  EXPECT_NE(why_plans_keep_it(kernel_of("twice"), {1U << 20, 1U << 20, 1}), "");
}

TEST_F(LaunchDecisions, TheTunerBeginsWithWhatPlansDecided) {
  const Kernel kernel = kernel_of("twice");
  for (const TunerMode mode :
       {TunerMode::frozen, TunerMode::cached_or_default, TunerMode::natural_gradient}) {
    const Session session = *Session::open("cpu", options(mode));
    const auto before = prepare(session, kernel);
    if (!before && before.error().what.find("no code generator") != std::string::npos) {
      GTEST_SKIP() << "this build has no code generator";
    }
    ASSERT_TRUE(before) << describe(before.error());
  }
  const Session session = *Session::open("cpu", options(TunerMode::frozen));
  ASSERT_TRUE(decide_for_plans(adapter(session), kernel, kSize, {1024, 1, 1}));
  for (const TunerMode mode :
       {TunerMode::frozen, TunerMode::cached_or_default, TunerMode::natural_gradient}) {
    const Session other = *Session::open("cpu", options(mode));
    const auto dispatch = prepare(other, kernel);
    ASSERT_TRUE(dispatch) << describe(dispatch.error());
    EXPECT_EQ(dispatch->variant().workgroup, (Extent{1024, 1, 1}));
    EXPECT_NE(dispatch->tuning()->origin.text.find("decided for plans"), std::string::npos)
        << dispatch->tuning()->origin.text;
  }
}

}  // namespace
}  // namespace vyre
