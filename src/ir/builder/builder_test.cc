#include "vyre/ir/builder/builder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "vyre/ir/builder/builder_math.h"
#include "vyre/ir/interpret/interpret.h"
#include "vyre/ir/kernel.h"
#include "vyre/ir/print.h"

namespace vyre {
namespace {

// The program, or its errors as a failure.
Program built(ProgramBuilder&& b) {
  Result<Program> program = std::move(b).build();
  EXPECT_TRUE(program) << (program ? "" : program.error().what);
  return program ? *std::move(program) : Program();
}

// Everything after the header: declarations and functions.
std::string text_of(ProgramBuilder&& b) { return print(built(std::move(b))); }

std::string errors_of(ProgramBuilder&& b) {
  const Result<Program> program = std::move(b).build();
  EXPECT_FALSE(program);
  return program ? "" : program.error().what;
}

Result<Program> saxpy() {
  ProgramBuilder b("saxpy", {64, 1, 1});
  Ref a = b.uniform("a", b.f32);
  Ref x = b.storage_read("x", b.array(b.f32));
  Ref y = b.storage("y", b.array(b.f32));
  Value i = b.global_id().x();
  b.if_(i < y.length(), [&] { y[i] = a * x[i] + y[i]; });
  return std::move(b).build();
}

TEST(Builder, WritesSaxpy) {
  const auto program = saxpy();
  ASSERT_TRUE(program) << program.error().what;
  EXPECT_EQ(print(*program), R"(program saxpy
workgroup 64, 1, 1

@group(0) @binding(0) uniform @a: f32
@group(0) @binding(1) storage read @x: array<f32>
@group(0) @binding(2) storage read_write @y: array<f32>

entry fn saxpy() {
  let %_0: u32 = global_invocation_id.x
  if (%_0 < arrayLength(@y)) {
    @y[%_0] = ((load @a * load @x[%_0]) + load @y[%_0])
  }
}
)");
}

TEST(Builder, SaxpyRuns) {
  auto program = saxpy();
  ASSERT_TRUE(program);
  const auto kernel = make_kernel(*std::move(program));
  ASSERT_TRUE(kernel) << kernel.error().what;
  std::vector<float> a{2.0F};
  std::vector<float> x(100), y(100);
  std::iota(x.begin(), x.end(), 0.0F);
  std::iota(y.begin(), y.end(), 1000.0F);
  const BoundBuffer buffers[] = {{0, 0, std::as_writable_bytes(std::span(a))},
                                 {0, 1, std::as_writable_bytes(std::span(x))},
                                 {0, 2, std::as_writable_bytes(std::span(y))}};
  const auto report = interpret(*kernel, buffers, {.grid = {2, 1, 1}});
  ASSERT_TRUE(report) << report.error().what;
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], 1000.0F + 3.0F * i);
}

TEST(Builder, AValueIsWhatItWasWhenItWasMade) {
  ProgramBuilder b("swap");
  Ref x = b.storage("x", b.array(b.f32));
  Value i = b.global_id().x();
  Value old = x[i];
  x[i] = x[i + 1u];
  x[i + 1u] = old;
  EXPECT_EQ(text_of(std::move(b)), R"(program swap
workgroup 64, 1, 1

@group(0) @binding(0) storage read_write @x: array<f32>

entry fn swap() {
  let %_0: u32 = global_invocation_id.x
  let %_1: f32 = load @x[%_0]
  @x[%_0] = load @x[(%_0 + 1u)]
  @x[(%_0 + 1u)] = %_1
}
)");
}

TEST(Builder, AValueUsedTwiceIsComputedOnce) {
  ProgramBuilder b("f");
  Ref out = b.storage("out", b.f32);
  Ref in = b.storage_read("in", b.f32);
  Value x = in + 1.0F;
  Value y = x * x;
  out = y;
  EXPECT_EQ(text_of(std::move(b)), R"(program f
workgroup 64, 1, 1

@group(0) @binding(0) storage read_write @out: f32
@group(0) @binding(1) storage read @in: f32

entry fn f() {
  let %_0: f32 = (load @in + 1f)
  @out = (%_0 * %_0)
}
)");
}

TEST(Builder, RepeatedSquaringStaysSmall) {
  ProgramBuilder b("f");
  Ref out = b.storage("out", b.f32);
  Value x = b.storage_read("in", b.f32);
  for (int i = 0; i < 200; ++i) x = x * x;
  out = x;
  EXPECT_LT(built(std::move(b)).exprs.size(), 2000U);
}

TEST(Builder, AValueFromOutsideALoopIsNotComputedInside) {
  ProgramBuilder b("f");
  Ref x = b.storage("x", b.array(b.u32));
  Value first = x[0u];
  b.for_("i", 0u, x.length(), [&](Value i) { x[i] = first + i; });
  EXPECT_EQ(text_of(std::move(b)), R"(program f
workgroup 64, 1, 1

@group(0) @binding(0) storage read_write @x: array<u32>

entry fn f() {
  let %_3: u32 = load @x[0u]
  let %_1: u32 = arrayLength(@x)
  var %i: u32 = 0u
  loop {
    if !(load %i < %_1) {
      break
    }
    let %i_2: u32 = load %i
    @x[%i_2] = (%_3 + %i_2)
    continuing {
      %i = (load %i + 1u)
    }
  }
}
)");
}

TEST(Builder, NumbersTakeTheTypeOfTheirNeighbour) {
  ProgramBuilder b("f");
  Ref i = b.storage("i", b.i32);
  Ref u = b.storage("u", b.u32);
  Ref v = b.storage("v", b.vec(b.f32, 3));
  i = 2 * i - 1;
  u = (u << 3) + 7;
  v = v * 2 + 0.5;
  v = max(v, 0);
  const std::string text = text_of(std::move(b));
  EXPECT_NE(text.find("@i = ((2i * load @i) - 1i)"), std::string::npos) << text;
  EXPECT_NE(text.find("@u = ((load @u << 3u) + 7u)"), std::string::npos) << text;
  EXPECT_NE(text.find("@v = ((load @v * splat<vec3<f32>>(2f)) + splat<vec3<f32>>(0.5f))"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("@v = max(load @v, splat<vec3<f32>>(0f))"), std::string::npos) << text;
}

TEST(Builder, WritesEveryKindOfStatement) {
  ProgramBuilder b("all", {8, 4, 1});
  const TypeId particle =
      b.structure("Particle", {{"pos", b.vec(b.f32, 3)}, {"id", b.u32}, {"m", b.mat(b.f32, 2, 2)}});
  Ref particles = b.storage("particles", b.array(particle));
  Ref counter = b.storage("counter", b.atomic(b.u32), BindingPoint{1, 5});
  Ref tile = b.workgroup("tile", b.array(b.f32, 32));
  Ref seed = b.private_("seed", 7u);
  Value scale = b.override_("scale", b.f32, 2.0, 3);
  const FunctionId square =
      b.function("square", b.f32, {{"x", b.f32}}, [&](auto p) { b.return_(p[0] * p[0] * scale); });
  const FunctionId bump =
      b.function("bump", b.none, {{"p", b.pointer(MemoryKind::function, b.u32)}}, [&](auto p) {
        Ref at = b.deref(p[0]);
        at += 1;
      });
  Value lane = b.let("lane", b.local_index());
  Ref n = b.var("n", b.u32);
  b.call(bump, {n});
  Ref p = particles[lane];
  p.member("pos").x() = b.call(square, {p.member("pos").y()});
  p.member("m") = p.member("m") * 2.0F;
  tile[lane] = p.member("pos").load().z();
  b.workgroup_barrier();
  b.switch_(lane % 4u, {{{0, 1}, [&] { n = 1u; }}, {{2}, [&] { b.break_(); }}}, [&] { n = seed; });
  b.loop([&] { b.if_(n > 10u, [&] { b.break_(); }, [&] { b.continue_(); }); }, [&] { n += 1; },
         [&] { return n == 5u; });
  b.while_([&] { return n < 3u; }, [&] { n *= 2; });
  Value old = counter.atomic_add(n);
  Value swapped = counter.atomic_compare_exchange(old, 9u);
  b.if_(swapped.member("exchanged"), [&] { counter.atomic_store(0u, Order::release); });
  Value all_same = b.uniform_load(tile[3u]);
  p.member("id") = b.convert(b.u32, b.select(all_same, 1.0F, old == 4u)) +
                   b.bitcast(b.u32, all_same) + b.workgroup_id().x() + b.workgroup_count().y();
  Value pair = frexp(all_same);
  p.member("pos") = b.make(b.vec(b.f32, 3), {pair.member("fract"), 1, 2.0F});
  b.storage_barrier();
  b.return_();
  EXPECT_EQ(text_of(std::move(b)), R"(program all
workgroup 8, 4, 1

struct Particle {  // size 32, align 16
  pos: vec3<f32>  // offset 0, size 12
  id: u32  // offset 12, size 4
  m: mat2x2<f32>  // offset 16, size 16
}

struct __atomic_compare_exchange_result_u32 {  // size 8, align 4
  old_value: u32  // offset 0, size 4
  exchanged: bool  // offset 4, size 4
}

struct __frexp_result_f32 {  // size 8, align 4
  fract: f32  // offset 0, size 4
  exp: i32  // offset 4, size 4
}

@id(3) override scale: f32 = 2f

@group(0) @binding(0) storage read_write @particles: array<Particle>
@group(1) @binding(5) storage read_write @counter: atomic<u32>
workgroup @tile: array<f32, 32>
private @seed: u32 = 7u

fn square(%x: f32) -> f32 {
  return ((%x * %x) * scale)
}

fn bump(%p: ptr<function, u32>) {
  %p = (load %p + 1u)
}

entry fn all() {
  let %lane: u32 = local_invocation_index
  var %n: u32
  call bump(%n)
  let %_2: f32 = call square(load @particles[%lane].pos[1u])
  @particles[%lane].pos[0u] = %_2
  @particles[%lane].m = (load @particles[%lane].m * 2f)
  @tile[%lane] = (load @particles[%lane].pos).z
  barrier workgroup
  switch (%lane % 4u) {
    case 0u, 1u {
      %n = 1u
    }
    case 2u {
      break
    }
    default {
      %n = load @seed
    }
  }
  loop {
    if (load %n > 10u) {
      break
    } else {
      continue
    }
    continuing {
      %n = (load %n + 1u)
      break if (load %n == 5u)
    }
  }
  loop {
    if !(load %n < 3u) {
      break
    }
    %n = (load %n * 2u)
  }
  let %_3: u32 = atomicAdd(@counter, load %n) device relaxed
  let %_4: __atomic_compare_exchange_result_u32 = atomicCompareExchange(@counter, %_3, 9u) device relaxed
  if %_4.exchanged {
    atomicStore(@counter, 0u) device release
  }
  let %_5: f32 = workgroupUniformLoad(@tile[3u])
  @particles[%lane].id = (((convert<u32>(select(%_5, 1f, (%_3 == 4u))) + bitcast<u32>(%_5)) + workgroup_id.x) + num_workgroups.y)
  @particles[%lane].pos = vec3<f32>(frexp(%_5).fract, 1f, 2f)
  barrier storage
  return
}
)");
}

TEST(Builder, OverridesSizeArraysAndWorkgroups) {
  ProgramBuilder b("f");
  Value n = b.override_("n", b.u32, 4);
  Value twice = n * 2u;
  b.workgroup_size(0, twice);
  Ref tile = b.workgroup("tile", b.array(b.f32, twice));
  tile[b.local_index()] = 1.0F;
  const Program program = built(std::move(b));
  EXPECT_EQ(print(program), R"(program f
workgroup (n * 2u), 1, 1

override n: u32 = 4u

workgroup @tile: array<f32, (n * 2u)>

entry fn f() {
  @tile[local_invocation_index] = 1f
}
)");
  const OverrideValue value[] = {{"n", 16}};
  const auto kernel = make_kernel(program, value);
  ASSERT_TRUE(kernel) << kernel.error().what;
  EXPECT_EQ(kernel->program->workgroup, (Extent{32, 1, 1}));
  EXPECT_EQ(kernel->stats.workgroup_bytes, 128U);
}

TEST(Builder, ReportsAllErrorsWithTheirLines) {
  ProgramBuilder b("f");
  Ref x = b.storage_read("x", b.array(b.f32));
  Ref u = b.storage("u", b.u32);
  const unsigned first = __LINE__ + 1;
  x[0u] = 1.0F;
  u = x[0u] + u;
  u = x.length() * 1.5F;
  u = u.member("nothing");
  b.if_(u, [&] { b.break_(); });
  const std::string errors = errors_of(std::move(b));
  EXPECT_NE(errors.find("program 'f' has 5 errors"), std::string::npos) << errors;
  const auto at = [&](unsigned line) { return ":" + std::to_string(first + line) + ": "; };
  EXPECT_NE(errors.find(at(0) + "a store to memory that can only be read"), std::string::npos)
      << errors;
  EXPECT_NE(errors.find(at(1) + "'+' of f32 and u32"), std::string::npos) << errors;
  EXPECT_NE(errors.find(at(2) + "the number cannot be u32"), std::string::npos) << errors;
  EXPECT_NE(errors.find(at(3) + "u32 has no member 'nothing'"), std::string::npos) << errors;
  EXPECT_NE(errors.find(at(4) + "a condition is bool, not u32"), std::string::npos) << errors;
}

TEST(Builder, ReportsWhatOnlyTheWholeProgramShows) {
  ProgramBuilder b("f");
  const unsigned line = __LINE__ + 1;
  b.if_(b.local_index() == 0u, [&] { b.workgroup_barrier(); });
  const std::string errors = errors_of(std::move(b));
  EXPECT_NE(errors.find("workgroupBarrier must be in uniform control flow"), std::string::npos)
      << errors;
  EXPECT_NE(errors.find("builder_test.cc:" + std::to_string(line)), std::string::npos) << errors;
}

TEST(Builder, ValuesDoNotLeaveTheirBlockOrFunction) {
  {
    ProgramBuilder b("f");
    Ref u = b.storage("u", b.u32);
    Value inner;
    b.if_(b.global_id().x() == 0u, [&] { inner = u + 1u; });
    u = inner;
    EXPECT_NE(errors_of(std::move(b)).find("outside of the block"), std::string::npos);
  }
  {
    ProgramBuilder b("f");
    Ref u = b.storage("u", b.u32);
    Value outer = u + 1u;
    Ref v = b.var("v", b.u32);
    b.function("g", b.u32, {}, [&](auto) { b.return_(outer); });
    b.function("h", b.none, {}, [&](auto) { v = 1u; });
    const std::string errors = errors_of(std::move(b));
    EXPECT_NE(errors.find("2 errors"), std::string::npos) << errors;
  }
}

TEST(Builder, EmptyAndForeignValuesAreErrors) {
  ProgramBuilder a("a");
  Value foreign = a.global_id().x();
  ProgramBuilder b("b");
  Ref u = b.storage("u", b.u32);
  u = Value();
  u = foreign;
  const std::string errors = errors_of(std::move(b));
  EXPECT_NE(errors.find("an empty value is used"), std::string::npos) << errors;
  EXPECT_NE(errors.find("a value of another program is used"), std::string::npos) << errors;
}

TEST(Builder, ErrorsDoNotCascade) {
  ProgramBuilder b("f");
  Ref u = b.storage("u", b.u32);
  Value bad = u + 1.5F;
  Value worse = bad * 2u + bad;
  u = worse;
  b.if_(worse == 1u, [&] { u = bad; });
  EXPECT_NE(errors_of(std::move(b)).find("has 1 error"), std::string::npos);
}

TEST(Builder, CallsAreChecked) {
  ProgramBuilder b("f");
  Ref u = b.storage("u", b.u32);
  const FunctionId g = b.function("g", b.u32, {{"x", b.u32}}, [&](auto p) { b.return_(p[0]); });
  u = b.call(g, {u, u});
  u = b.call(g, {b.global_id()});
  u = b.call(FunctionId{17}, {});
  const std::string errors = errors_of(std::move(b));
  EXPECT_NE(errors.find("'g' takes 1 arguments, not 2"), std::string::npos) << errors;
  EXPECT_NE(errors.find("argument 1 of 'g' is u32, not vec3<u32>"), std::string::npos) << errors;
  EXPECT_NE(errors.find("a function that is not written yet"), std::string::npos) << errors;
}

TEST(Builder, BlockReductionRuns) {
  ProgramBuilder b("sum", {16, 1, 1});
  Ref in = b.storage_read("in", b.array(b.u32));
  Ref out = b.storage("out", b.array(b.u32));
  Ref tile = b.workgroup("tile", b.array(b.u32, 16));
  Value lane = b.local_index();
  tile[lane] = in[b.global_id().x()];
  Ref step = b.var("step", 8u);
  b.while_([&] { return step > 0u; },
           [&] {
             b.workgroup_barrier();
             b.if_(lane < step, [&] { tile[lane] += tile[lane + step]; });
             step /= 2;
           });
  b.if_(lane == 0u, [&] { out[b.workgroup_id().x()] = tile[0u]; });
  const auto kernel = make_kernel(built(std::move(b)));
  ASSERT_TRUE(kernel) << kernel.error().what;
  std::vector<std::uint32_t> input(64), output(4);
  std::iota(input.begin(), input.end(), 0U);
  const BoundBuffer buffers[] = {{0, 0, std::as_writable_bytes(std::span(input))},
                                 {0, 1, std::as_writable_bytes(std::span(output))}};
  const auto report = interpret(*kernel, buffers, {.grid = {4, 1, 1}});
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(output, (std::vector<std::uint32_t>{120, 376, 632, 888}));
}

TEST(Builder, CopiesFunctionsOfAnotherProgram) {
  ProgramBuilder from("from", {1, 1, 1});
  const Ref table = from.storage_read("table", from.array(from.u32), BindingPoint{2, 5});
  const FunctionId look =
      from.function("look", from.u32, {{"i", from.u32}},
                    [&](std::span<const Value> p) { from.return_(table[p[0]]); });
  const FunctionId next =
      from.function("next", from.u32, {{"i", from.u32}},
                    [&](std::span<const Value> p) { from.return_(from.call(look, {p[0]}) + 1U); });
  const Program library = built(std::move(from));

  ProgramBuilder b("to", {1, 1, 1});
  const Ref out = b.storage("out", b.array(b.u32));
  const FunctionId wanted[] = {next};
  const std::vector<FunctionId> copied = b.copy_functions(library, wanted);
  ASSERT_EQ(copied.size(), 1U);
  out[0U] = b.call(copied[0], {2U});
  EXPECT_EQ(text_of(std::move(b)), R"(program to
workgroup 1, 1, 1

@group(0) @binding(0) storage read_write @out: array<u32>
@group(2) @binding(5) storage read @table: array<u32>

fn look(%i: u32) -> u32 {
  return load @table[%i]
}

fn next(%i: u32) -> u32 {
  let %_1: u32 = call look(%i)
  return (%_1 + 1u)
}

entry fn to() {
  let %_0: u32 = call next(2u)
  @out[0u] = %_0
}
)");
}

}  // namespace
}  // namespace vyre
