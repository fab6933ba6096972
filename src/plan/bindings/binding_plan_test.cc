#include "vyre/plan/bindings/binding_plan.h"

#include <gtest/gtest.h>

#include <set>

#include "vyre/base/memory/allocation_count_testing.h"

namespace vyre {
namespace {

using enum BindingRole;

BufferDecl decl(std::string name, std::uint32_t slot, BufferAccess access, std::uint32_t count = 0,
                ElementKind kind = ElementKind::bits_32) {
  BufferDecl out;
  out.name = std::move(name);
  out.slot = slot;
  out.access = access;
  out.count = count;
  out.element.kind = kind;
  return out;
}

BindingRole role_of_one(const BufferDecl& buffer) {
  const auto plan = plan_bindings({&buffer, 1});
  EXPECT_TRUE(plan);
  return plan->bindings.at(0).role;
}

TEST(Roles, FollowTheFirstMatchingRow) {
  BufferDecl buffer = decl("b", 0, BufferAccess::read_only, 4);
  EXPECT_EQ(role_of_one(buffer), input);
  buffer.access = BufferAccess::read_write;
  EXPECT_EQ(role_of_one(buffer), input_output);
  buffer.access = BufferAccess::write_only;
  EXPECT_EQ(role_of_one(buffer), output);
  buffer.access = BufferAccess::uniform;
  EXPECT_EQ(role_of_one(buffer), uniform);
  buffer.is_output = true;
  EXPECT_EQ(role_of_one(buffer), output);
  buffer.access = BufferAccess::unknown;
  EXPECT_EQ(role_of_one(buffer), output);
  buffer.kind = BufferKind::persistent;
  EXPECT_EQ(role_of_one(buffer), persistent);
  buffer.access = BufferAccess::workgroup;
  EXPECT_EQ(role_of_one(buffer), shared);
  buffer = decl("b", 0, BufferAccess::read_only, 4);
  buffer.kind = BufferKind::shared;
  EXPECT_EQ(role_of_one(buffer), shared);
}

TEST(Bindings, UnknownAccessIsReportedInSlotOrder) {
  const std::vector<BufferDecl> buffers{decl("late", 9, BufferAccess::unknown),
                                        decl("early", 2, BufferAccess::unknown),
                                        decl("twin", 2, BufferAccess::unknown)};
  EXPECT_EQ(plan_bindings(buffers).error(), PlanError(UnknownAccess{"early"}));
}

TEST(Bindings, AreInSlotOrderAndNumberedInDeclarationOrder) {
  std::vector<BufferDecl> buffers{
      decl("d", 7, BufferAccess::read_only, 1), decl("c", 3, BufferAccess::read_write, 2),
      decl("b", 3, BufferAccess::write_only, 3), decl("a", 0, BufferAccess::uniform, 4),
      decl("s", 1, BufferAccess::workgroup, 5)};
  buffers[4].pipeline_live_out = true;
  const BindingPlan plan = *plan_bindings(buffers);
  std::vector<std::string> names;
  for (const PlannedBinding& binding : plan.bindings) names.push_back(binding.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "s", "c", "b", "d"}));
  EXPECT_EQ(plan.inputs, (std::vector<std::uint32_t>{0, 1, 3}));
  EXPECT_EQ(plan.outputs, (std::vector<std::uint32_t>{1, 2, 4}));
  EXPECT_EQ(plan.shared, (std::vector<std::uint32_t>{4}));
  EXPECT_EQ(plan.bindings[0].input_index, 2u);
  EXPECT_EQ(plan.bindings[1].output_index, 2u);
  EXPECT_EQ(plan.bindings[2].input_index, 1u);
  EXPECT_EQ(plan.bindings[2].output_index, 0u);
}

TEST(Bindings, PackSubByteElements) {
  BufferDecl buffer = decl("b", 0, BufferAccess::read_only, 5, ElementKind::bits_4);
  const InputLength three{3, false};
  const auto plan = plan_bindings({&buffer, 1}, {{&three, 1}});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->bindings[0].static_byte_length, 3u);
  buffer.count = 0;
  EXPECT_EQ(plan_bindings({&buffer, 1}, {{&three, 1}})->bindings[0].element_count, 6u);
}

TEST(Bindings, AlignmentIsTheLargerOfHintAndElement) {
  BufferDecl buffer = decl("b", 0, BufferAccess::read_only, 1, ElementKind::bits_32);
  buffer.element.wrappers = {{ElementWrapperKind::vector, 3, {}}};
  EXPECT_EQ(plan_bindings({&buffer, 1})->bindings[0].preferred_alignment, 12u);
  buffer.alignment_hint = 256;
  EXPECT_EQ(plan_bindings({&buffer, 1})->bindings[0].preferred_alignment, 256u);
  buffer.alignment_hint = 24;
  EXPECT_EQ(plan_bindings({&buffer, 1}).error(), PlanError(BadAlignment{"b", 24}));
  buffer = decl("b", 0, BufferAccess::read_only, 1, ElementKind::raw_bytes);
  EXPECT_EQ(plan_bindings({&buffer, 1})->bindings[0].preferred_alignment, 1u);
}

TEST(Bindings, CheckLayoutThenLengthThenAlignment) {
  BufferDecl buffer = decl("b", 0, BufferAccess::read_only, 1);
  buffer.alignment_hint = 3;
  buffer.element.kind = ElementKind::opaque;
  EXPECT_EQ(plan_bindings({&buffer, 1}).error(), PlanError(RuntimeSizedElement{"b", 1}));
  buffer.element.wrappers = {{ElementWrapperKind::tensor, 0, {4, 0}}};
  EXPECT_EQ(plan_bindings({&buffer, 1}).error(), PlanError(BadElementLayout{"b"}));
  buffer.element = {ElementKind::array, 1ull << 40, 0, {}, {}};
  buffer.count = 1u << 31;
  EXPECT_EQ(plan_bindings({&buffer, 1}).error(), PlanError(StaticLengthOverflow{"b"}));
  buffer.count = 0;
  EXPECT_EQ(plan_bindings({&buffer, 1}).error(), PlanError(BadAlignment{"b", 3}));
}

TEST(Bindings, MalformedElementsAreFoundAtAnyDepth) {
  const auto well_formed = [](ElementType type) { return is_well_formed(type); };
  using Wrap = ElementWrapperKind;
  EXPECT_TRUE(well_formed({ElementKind::bits_8, 0, 0, {}, {{Wrap::quantized, 32, {}}}}));
  EXPECT_FALSE(well_formed({ElementKind::bits_8, 0, 0, {}, {{Wrap::quantized, 0, {}}}}));
  EXPECT_FALSE(well_formed({ElementKind::raw_bytes, 0, 0, {}, {{Wrap::quantized, 32, {}}}}));
  EXPECT_FALSE(well_formed(
      {ElementKind::bits_8, 0, 0, {}, {{Wrap::quantized, 32, {}}, {Wrap::vector, 4, {}}}}));
  EXPECT_FALSE(well_formed(
      {ElementKind::bits_8, 0, 0, {}, {{Wrap::tensor, 0, {2, 2}}, {Wrap::vector, 0, {}}}}));
  EXPECT_FALSE(well_formed({ElementKind::bits_8, 0, 0, {}, {{Wrap::sparse, 0, {}}}}));
  EXPECT_FALSE(well_formed({ElementKind::array, 0, 0, {}, {}}));
  EXPECT_FALSE(well_formed({ElementKind::mesh, 0, 0, {}, {}}));
  EXPECT_FALSE(well_formed({ElementKind::mesh, 0, 0, {2, 0}, {}}));
  EXPECT_TRUE(well_formed({ElementKind::mesh, 0, 0, {2, 4}, {}}));
}

TEST(Bindings, SizesOfElementTypes) {
  using Wrap = ElementWrapperKind;
  const ElementSize vec4 = element_size({ElementKind::bits_16, 0, 0, {}, {{Wrap::vector, 4, {}}}});
  EXPECT_EQ(vec4.min_bytes, 8u);
  EXPECT_EQ(vec4.bits, 64u);
  const ElementSize tensor =
      element_size({ElementKind::bits_16, 0, 0, {}, {{Wrap::tensor, 0, {4}}}});
  EXPECT_EQ(tensor.min_bytes, 0u);
  EXPECT_FALSE(tensor.bytes || tensor.bits);
  const ElementSize array = element_size({ElementKind::array, 12, 0, {}, {}});
  EXPECT_EQ(array.min_bytes, 0u);
  EXPECT_EQ(packed_length(array, 5).bytes, 60u);
  ElementType huge{ElementKind::bits_128, 0, 0, {}, {}};
  for (int i = 0; i < 3; ++i) huge.wrappers.push_back({Wrap::vector, 0xffffffff, {}});
  EXPECT_EQ(element_size(huge).min_bytes, ~0ull);
  EXPECT_EQ(packed_length(element_size(huge), 1).fault, PackedLengthFault::overflow);
}

TEST(Inputs, CountsAreInferredFromLengths) {
  const std::vector<BufferDecl> buffers{decl("a", 0, BufferAccess::read_only),
                                        decl("b", 1, BufferAccess::read_write)};
  const InputLength known[] = {{40, false}, {std::nullopt, true}};
  const BindingPlan plan = *plan_bindings(buffers, known);
  EXPECT_EQ(plan.bindings[0].element_count, 10u);
  EXPECT_EQ(plan.bindings[1].element_count, 0u);
  const InputLength huge[] = {{1ull << 63, false}, {1ull << 40, false}};
  EXPECT_EQ(plan_bindings(buffers, huge)->bindings[0].element_count, 0u);
  EXPECT_EQ(plan_bindings(buffers, huge)->bindings[1].element_count, 0u);
}

TEST(Inputs, AreCheckedForCountAlignmentAndLength) {
  const std::vector<BufferDecl> buffers{decl("a", 0, BufferAccess::read_only, 10),
                                        decl("b", 1, BufferAccess::uniform)};
  const auto check = [&](std::vector<InputLength> inputs) {
    const auto plan = plan_bindings(buffers, inputs);
    return plan ? std::optional<PlanError>{} : plan.error();
  };
  EXPECT_EQ(check({{40, false}}), PlanError(InputCountMismatch{2, 1}));
  EXPECT_EQ(check({{41, false}, {4, false}}), PlanError(InputMisaligned{"a", 41, 4}));
  EXPECT_EQ(check({{44, false}, {5, false}}), PlanError(InputLengthMismatch{"a", 40, 44, true}));
  EXPECT_EQ(check({{40, false}, {5, false}}), PlanError(InputMisaligned{"b", 5, 4}));
  EXPECT_EQ(check({{36, true}, {4, false}}), PlanError(InputLengthMismatch{"a", 40, 36, false}));
  EXPECT_EQ(check({{44, true}, {4, false}}), std::nullopt);
}

TEST(Inputs, AHeaderIsNotPartOfTheElements) {
  BufferDecl buffer = decl("b", 0, BufferAccess::read_only);
  buffer.header_bytes = 6;
  const auto elements = [&](std::uint64_t bytes) {
    const InputLength input{bytes, false};
    return plan_bindings({&buffer, 1}, {{&input, 1}});
  };
  EXPECT_EQ(elements(14)->bindings[0].element_count, 2u);
  EXPECT_EQ(elements(12).error(), PlanError(InputMisaligned{"b", 12, 4}));
  EXPECT_EQ(elements(5).error(), PlanError(InputLengthMismatch{"b", 6, 5, false}));
}

std::vector<PlannedBinding> three_bindings() {
  const std::vector<BufferDecl> buffers{decl("in", 0, BufferAccess::read_only, 1000),
                                        decl("out", 3, BufferAccess::write_only, 600),
                                        decl("u", 5, BufferAccess::uniform)};
  return plan_bindings(buffers)->bindings;
}

TEST(ElementCount, IsThatOfTheOutputsUnlessEverythingMustBeSpanned) {
  std::vector<PlannedBinding> bindings = three_bindings();
  EXPECT_EQ(inferred_element_count(bindings, false), 600u);
  EXPECT_EQ(inferred_element_count(bindings, true), 1000u);
  PlannedBinding memory;
  memory.role = shared;
  memory.element_count = 5000;
  bindings.push_back(memory);
  EXPECT_EQ(inferred_element_count(bindings, false), 1000u);
  EXPECT_EQ(inferred_element_count({}, false), 1u);
}

TEST(ParamWords, AreIndexedBySlot) {
  std::vector<std::uint32_t> words{9, 9, 9};
  ASSERT_TRUE(write_param_words(three_bindings(), 600, words));
  EXPECT_EQ(words, (std::vector<std::uint32_t>{600, 1000, 0, 0, 600, 0, 600}));
}

TEST(ParamWords, TooManyAreAnErrorThatKeepsTheOldOnes) {
  PlannedBinding far;
  far.slot = 0xffffffff;
  std::vector<std::uint32_t> words{9};
  EXPECT_EQ(write_param_words({&far, 1}, 1, words).error(),
            PlanError(ParamWordsOverflow{0xffffffff, 0x100000001}));
  EXPECT_EQ(words, (std::vector<std::uint32_t>{9}));
}

TEST(Bindings, PlanningAgainAllocatesNothing) {
  const std::vector<BufferDecl> buffers{decl("in", 3, BufferAccess::read_only, 1000),
                                        decl("out", 0, BufferAccess::write_only, 600)};
  const InputLength input_length{4000, false};
  BindingPlan plan;
  ASSERT_TRUE(plan_bindings(plan, buffers, {{&input_length, 1}}));
  const std::uint64_t before = allocation_count();
  ASSERT_TRUE(plan_bindings(plan, buffers, {{&input_length, 1}}));
  EXPECT_EQ(allocation_count(), before);
}

TEST(Bindings, AreEmptyAfterAnError) {
  BindingPlan plan;
  BufferDecl buffer = decl("b", 0, BufferAccess::read_only, 1);
  ASSERT_TRUE(plan_bindings(plan, {&buffer, 1}));
  buffer.alignment_hint = 3;
  EXPECT_FALSE(plan_bindings(plan, {&buffer, 1}));
  EXPECT_EQ(plan, BindingPlan{});
}

TEST(PlanErrors, EachHasAWireNameAndSaysSomethingToDo) {
  const PlanError errors[] = {UnknownAccess{"b"},
                              BadElementLayout{"b"},
                              StaticLengthOverflow{"b"},
                              RuntimeSizedElement{"b", 1},
                              BadAlignment{"b", 3},
                              InputCountMismatch{1, 2},
                              InputMisaligned{"b", 3, 4},
                              InputLengthMismatch{"b", 4, 3, true},
                              ParamWordsOverflow{1, 2},
                              ZeroDimension{"cuda"},
                              WorkgroupProductOverflow{"cuda"},
                              TooManyThreads{"cuda", 2, 1},
                              WorkgroupAxisLimit{"cuda", 0, 2, 1},
                              GridAxisLimit{"cuda", 0, 2, 1},
                              ZeroOverrideDimension{"cuda", {0, 1, 1}},
                              ZeroGlobalSize{"cuda", {0, 1, 1}},
                              ElementCountOverflow{"cuda", 2, 3},
                              GridOverrideRequired{"cuda", {2, 2, 1}},
                              ZeroWorkgroup{{0, 1, 1}}};
  std::set<std::string_view> names;
  for (const PlanError& error : errors) {
    names.insert(wire_name(error));
    EXPECT_FALSE(to_error(error).what.empty());
    EXPECT_FALSE(to_error(error).fix.empty());
  }
  EXPECT_EQ(names.size(), std::size(errors));
  EXPECT_EQ(std::size(errors), std::variant_size_v<PlanError>);
}

}  // namespace
}  // namespace vyre
