#include "vyre/ir/copy_program.h"

#include <gtest/gtest.h>

#include "vyre/ir/builder/builder.h"
#include "vyre/ir/fingerprint.h"
#include "vyre/ir/print.h"
#include "vyre/ir/validate/validate.h"

namespace vyre {
namespace {

// Every kind of statement that has operands, locals or blocks of its own.
Program sample() {
  ProgramBuilder b("sample", {64, 1, 1});
  Ref x = b.storage_read("x", b.array(b.f32));
  Ref y = b.storage("y", b.array(b.f32));
  Ref counts = b.storage("counts", b.array(b.atomic(b.u32)));
  Ref shared = b.workgroup("shared", b.array(b.f32, 64));
  Ref bias = b.private_("bias", 2.5F);
  const FunctionId scale =
      b.function("scale", b.f32, {{"v", b.f32}},
                 [&](std::span<const Value> p) { b.return_(p[0] * bias.load()); });
  Value i = b.global_id().x();
  shared[b.local_index()] = x[i];
  b.workgroup_barrier();
  Ref sum = b.var("sum", b.constant(b.f32, 0));
  b.for_("k", 0U, 4U, [&](Value k) {
    b.if_(k == 2U, [&] { b.continue_(); });
    sum += b.call(scale, {shared[k]});
  });
  b.switch_(i % 3U, {{{0}, [&] { sum = 1.0F; }}, {{1}, [&] { b.return_(); }}});
  Value old = counts[0].atomic_add(1U);
  b.if_(old < y.length(), [&] { y[i] = sum; }, [&] { y[0] = b.convert(b.f32, old); });
  Result<Program> program = std::move(b).build();
  EXPECT_TRUE(program) << program.error().what;
  return *program;
}

TEST(CopyProgram, ACopyWithOtherIdsMeansTheSame) {
  const Program original = sample();
  Program copy;
  // Ids that the original has are taken.
  copy.types.vector(ScalarKind::f16, 4);
  copy.constants.push_back({copy.types.scalar(ScalarKind::u32), {7}});
  Writer(copy).constant(Scalar::of(3.0F));
  copy.name = original.name;
  copy.workgroup = original.workgroup;
  ProgramCopy copier(original, copy);
  for (std::uint32_t g = 0; g < original.globals.size(); ++g) copier.global(GlobalId{g});
  copy.entry = copier.function(original.entry);
  EXPECT_TRUE(validate(copy).empty());
  EXPECT_EQ(print(copy), print(original));
  EXPECT_EQ(fingerprint(copy), fingerprint(original));
}

TEST(CopyProgram, AGlobalCanStandForOneThatTheOtherProgramHas) {
  const Program original = sample();
  Program copy = original;
  ProgramCopy copier(original, copy);
  for (std::uint32_t g = 0; g < original.globals.size(); ++g) {
    copier.use_global(GlobalId{g}, GlobalId{g});
  }
  copy.entry = copier.function(original.entry);
  EXPECT_EQ(copy.globals.size(), original.globals.size());
  EXPECT_EQ(copy.functions.size(), 2 * original.functions.size());
  EXPECT_TRUE(validate(copy).empty());
}

}  // namespace
}  // namespace vyre
