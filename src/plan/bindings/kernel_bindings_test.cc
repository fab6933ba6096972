#include "vyre/plan/bindings/kernel_bindings.h"

#include <gtest/gtest.h>

#include "vyre/ir/fingerprint.h"
#include "vyre/ir/interpret/interpret_testing.h"
#include "vyre/plan/kernel_facts.h"
#include "vyre/plan/specification/eligibility.h"

namespace vyre {
namespace {

Kernel finished(KernelWriter& writer, Extent workgroup = {64, 1, 1}) {
  Kernel kernel = writer.finish(workgroup);
  kernel.stats = stats(*kernel.program);
  kernel.fingerprint = fingerprint(*kernel.program);
  return kernel;
}

// out[x] = in[x].
Kernel copy_kernel() {
  KernelWriter k;
  const ExprId in = k.buffer("in", k.runtime_array(k.f32), Access::read);
  const ExprId out = k.buffer("out", k.runtime_array(k.f32));
  k.begin("copy");
  k.store(k.at(out, k.global_x()), k.load(k.at(in, k.global_x())));
  k.end();
  return finished(k);
}

TEST(KernelBindings, AWritableBufferWithoutDataIsAnOutput) {
  const Kernel kernel = copy_kernel();
  const KernelInput in{0, 0, {4000, false}};
  BindingPlan plan = *plan_kernel_bindings(kernel, {{&in, 1}});
  ASSERT_EQ(plan.bindings.size(), 2u);
  EXPECT_EQ(plan.bindings[0].role, BindingRole::input);
  EXPECT_EQ(plan.bindings[0].element_count, 1000u);
  EXPECT_EQ(plan.bindings[1].role, BindingRole::output);
  EXPECT_EQ(plan.bindings[1].element_count, 0u);

  const KernelInput both[] = {{0, 1, {80, false}}, {0, 0, {4000, false}}};
  plan = *plan_kernel_bindings(kernel, both);
  EXPECT_EQ(plan.bindings[1].role, BindingRole::input_output);
  EXPECT_EQ(plan.bindings[1].element_count, 20u);
}

TEST(KernelBindings, MissingDataIsReported) {
  EXPECT_EQ(plan_kernel_bindings(copy_kernel(), std::span<const KernelInput>{}).error(),
            PlanError(InputCountMismatch{1, 0}));
  EXPECT_TRUE(plan_kernel_bindings(copy_kernel()));
}

TEST(KernelBindings, SlotsAreRanksOfGroupAndBinding) {
  KernelWriter k;
  const ExprId late = k.buffer("late", k.runtime_array(k.u32));
  k.buffer("unused", k.runtime_array(k.u32));
  const ExprId early = k.buffer("early", k.array(k.u32, 7));
  k.program.globals[0].group = 2;
  k.program.globals[2].group = 1;
  k.program.globals[2].binding = 9;
  k.begin("main");
  k.store(k.at(late, k.global_x()), k.load(k.at(early, k.global_x())));
  k.end();
  const BindingPlan plan = *plan_kernel_bindings(finished(k));
  ASSERT_EQ(plan.bindings.size(), 3u);
  EXPECT_EQ(plan.bindings[0].name, "unused");
  EXPECT_EQ(plan.bindings[1].name, "early");
  EXPECT_EQ(plan.bindings[1].slot, 1u);
  EXPECT_EQ(plan.bindings[1].static_byte_length, 28u);
  EXPECT_EQ(plan.bindings[2].name, "late");
  EXPECT_EQ(plan.bindings[2].slot, 2u);
}

TEST(KernelBindings, ElementsAreWgslStrides) {
  KernelWriter k;
  const TypeId vec3 = k.vec(ScalarKind::f32, 3);
  const TypeId head = k.structure("Head", {{"n", k.u32}, {"items", k.runtime_array(vec3)}});
  const ExprId items = k.buffer("items", head);
  const ExprId total = k.buffer("total", k.program.types.atomic(ScalarKind::u32));
  k.begin("main");
  k.store(k.at(k.member(items, 1), k.global_x()), k.zero(vec3));
  k.atomic(AtomicOp::add, total, k.u(1));
  k.end();
  const Kernel kernel = finished(k);
  const KernelInput data{0, 0, {16 + 3 * 16, false}};
  const BindingPlan plan = *plan_kernel_bindings(kernel, {{&data, 1}});
  EXPECT_EQ(plan.bindings[0].element_size, 16u);
  EXPECT_EQ(plan.bindings[0].preferred_alignment, 16u);
  EXPECT_EQ(plan.bindings[0].header_bytes, 16u);
  EXPECT_EQ(plan.bindings[0].element_count, 3u);
  EXPECT_EQ(plan.bindings[1].element_count, 1u);
  EXPECT_EQ(plan.bindings[1].static_byte_length, 4u);
  EXPECT_TRUE(facts_of(kernel).contains_atomic);
}

TEST(KernelBindings, WorkgroupMemoryIsSharedAndSpansEverything) {
  KernelWriter k;
  const ExprId in = k.buffer("in", k.array(k.u32, 1000), Access::read);
  const ExprId out = k.buffer("out", k.array(k.u32, 4));
  const ExprId tile = k.workgroup("tile", k.array(k.u32, 64));
  k.begin("reduce");
  k.store(k.at(tile, k.local_index()), k.load(k.at(in, k.global_x())));
  k.barrier();
  k.store(k.at(out, k.u(0)), k.load(k.at(tile, k.u(0))));
  k.end();
  const Kernel kernel = finished(k);
  const BindingPlan plan = *plan_kernel_bindings(kernel);
  EXPECT_EQ(plan.shared, (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(inferred_element_count(plan.bindings, false), 1000u);

  const ProgramFacts facts = facts_of(kernel);
  EXPECT_TRUE(facts.has_shared_buffer);
  EXPECT_TRUE(facts.has_barrier);
  EXPECT_TRUE(facts.uses_launch_geometry_ids);
  EXPECT_EQ(eligibility(facts, facts.workgroup, 1000), Ineligible::shared_memory);
}

TEST(KernelFacts, APointwiseKernelMayBeTuned) {
  const Kernel kernel = copy_kernel();
  const ProgramFacts facts = facts_of(kernel);
  EXPECT_EQ(facts.fingerprint, kernel.fingerprint);
  EXPECT_EQ(facts.workgroup, (Extent{64, 1, 1}));
  EXPECT_EQ(eligibility(facts, facts.workgroup, 1), Ineligible::none);
}

TEST(KernelFacts, AnEntryThatOnlyReturnsOrHasNoEffectIsNot) {
  KernelWriter nothing;
  nothing.begin("main");
  nothing.return_();
  nothing.end();
  ProgramFacts facts = facts_of(finished(nothing));
  EXPECT_EQ(eligibility(facts, facts.workgroup, 1), Ineligible::empty_entry);

  KernelWriter local;
  local.begin("main");
  local.var(local.u(1));
  local.end();
  facts = facts_of(finished(local));
  EXPECT_EQ(eligibility(facts, facts.workgroup, 1), Ineligible::no_effects);
}

TEST(KernelFacts, IdsOfTheLaunchShapeInACalleeCount) {
  for (const InvocationIdKind kind :
       {InvocationIdKind::local_invocation, InvocationIdKind::local_invocation_index,
        InvocationIdKind::workgroup, InvocationIdKind::workgroup_count}) {
    KernelWriter k;
    const ExprId out = k.buffer("out", k.runtime_array(k.u32));
    const FunctionId callee = k.begin("helper");
    const ExprId id = k.id(kind);
    k.store(k.at(out, k.u(0)),
            kind == InvocationIdKind::local_invocation_index ? id : k.lane(id, 0));
    k.end();
    k.begin("main");
    k.call(callee);
    k.end();
    const ProgramFacts facts = facts_of(finished(k));
    EXPECT_EQ(eligibility(facts, facts.workgroup, 1), Ineligible::launch_geometry_ids);
  }
}

}  // namespace
}  // namespace vyre
