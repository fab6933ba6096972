// Memory: layouts, pointers, bounds.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vyre/ir/interpret/interpret_testing.h"

namespace vyre {
namespace {

using Words = std::vector<std::uint32_t>;

std::uint32_t bits(float v) { return std::bit_cast<std::uint32_t>(v); }

void expect_ok(const Result<InterpretReport>& r) {
  ASSERT_TRUE(r) << (r ? "" : describe(r.error()));
}

TEST(Memory, StoresOfStructsFollowTheLayoutAndKeepPadding) {
  KernelWriter k;
  const TypeId vec3 = k.vec(ScalarKind::f32, 3);
  const TypeId inner = k.structure("Inner", {{"a", k.f32}, {"v", vec3}, {"b", k.u32}});
  const TypeId outer = k.structure("Outer", {{"n", k.u32}, {"list", k.array(inner, 2)}});
  const ExprId in = k.buffer("in", outer, Access::read);
  const ExprId out = k.buffer("out", outer);
  k.begin("main");
  k.store(out, k.load(in));
  k.store(k.at(k.member(out, 1), 1),
          k.construct(inner, {k.f(1.5F), k.construct(vec3, {k.f(2), k.f(3), k.f(4)}), k.u(9)}));
  k.end();
  Words source(20), target(20, 0xAAAAAAAA);
  for (std::uint32_t i = 0; i < 20; ++i) source[i] = 0x1000 + i;
  expect_ok(run_with(k.finish(), {1, 1, 1}, source, target));
  const std::uint32_t pad = 0xAAAAAAAA;
  EXPECT_EQ(target, (Words{0x1000,     pad, pad, pad,                                     //
                           0x1004,     pad, pad, pad, 0x1008,  0x1009,  0x100A,  0x100B,  //
                           bits(1.5F), pad, pad, pad, bits(2), bits(3), bits(4), 9}));
}

TEST(Memory, ArraysOfVec3AndMatricesWithPaddingKeepIt) {
  KernelWriter k;
  const TypeId list = k.array(k.vec(ScalarKind::f32, 3), 6);
  const TypeId mat = k.mat(ScalarKind::f32, 2, 3);
  const ExprId out = k.buffer("out", list);
  const ExprId matrix = k.buffer("matrix", mat);
  k.begin("main");
  const ExprId local = k.var(list);
  k.count(k.u(0), k.u(6), [&](ExprId i) {
    k.store(k.at(local, i), k.splat(k.vec(ScalarKind::f32, 3), k.convert(k.f32, i)));
  });
  k.store(out, k.load(local));
  k.store(matrix, k.construct(mat, {k.f(1), k.f(2), k.f(3), k.f(4), k.f(5), k.f(6)}));
  k.end();
  Words a(24, 7), b(8, 7);
  expect_ok(run_with(k.finish(), {1, 1, 1}, a, b));
  for (std::uint32_t i = 0; i < 24; ++i) {
    EXPECT_EQ(a[i], i % 4 == 3 ? 7 : bits(static_cast<float>(i / 4)));
  }
  EXPECT_EQ(b, (Words{bits(1), bits(2), bits(3), 7, bits(4), bits(5), bits(6), 7}));
}

TEST(Memory, PointersReachIntoArraysStructsVectorsAndMatrices) {
  KernelWriter k;
  const TypeId vec4 = k.vec(ScalarKind::f32, 4);
  const TypeId s = k.structure(
      "S",
      {{"v", vec4}, {"m", k.mat(ScalarKind::f32, 3, 2)}, {"grid", k.array(k.array(k.u32, 3), 2)}});
  const ExprId out = k.buffer("out", s);
  k.begin("main");
  const ExprId i = k.let(k.lane(k.id(InvocationIdKind::global_invocation), 0));
  const ExprId p = k.let(k.member(out, 0));
  k.store(k.at(p, k.add(i, k.u(2))), k.f(9));
  k.store(k.at(k.at(k.member(out, 1), k.add(i, k.u(1))), k.u(1)), k.f(5));
  const ExprId row = k.let(k.at(k.member(out, 2), k.add(i, k.u(1))));
  k.store(k.at(row, k.i(2)), k.u(77));
  k.store(k.at(row, k.add(i, k.u(1))), k.load(k.at(row, k.i(2))));
  k.end();
  Words target(16, 0);
  expect_ok(run_with(k.finish(), {1, 1, 1}, target));
  Words expected(16, 0);
  expected[2] = bits(9);
  expected[4 + 2 + 1] = bits(5);
  expected[10 + 3 + 2] = 77;
  expected[10 + 3 + 1] = 77;
  EXPECT_EQ(target, expected);
}

TEST(Memory, PointerParametersWriteTheCallersMemory) {
  KernelWriter k;
  const TypeId vec2 = k.vec(ScalarKind::u32, 2);
  const ExprId out = k.buffer("out", k.runtime_array(k.u32));
  const ExprId shared = k.workgroup("shared", k.array(k.u32, 4));
  const ExprId mine = k.private_("mine", k.array(k.u32, 4));

  const auto adder = [&](const char* name, MemoryKind memory) {
    const FunctionId f = k.begin(name, {k.pointer_type(memory, k.u32), k.u32}, k.u32);
    k.add_to(k.parameter(0), k.parameter(1));
    k.return_(k.load(k.parameter(0)));
    k.end();
    return f;
  };
  const FunctionId in_function = adder("in_function", MemoryKind::function);
  const FunctionId in_private = adder("in_private", MemoryKind::private_);
  const FunctionId in_workgroup = adder("in_workgroup", MemoryKind::workgroup);
  const FunctionId in_storage = adder("in_storage", MemoryKind::storage);
  // Passes its own pointer on.
  const FunctionId twice =
      k.begin("twice", {k.pointer_type(MemoryKind::function, k.u32)}, k.program.types.void_type());
  k.call(in_function, {k.parameter(0), k.u(1)});
  k.call(in_function, {k.parameter(0), k.u(1)});
  k.end();

  k.begin("main");
  const ExprId v = k.var(vec2);
  k.call(in_function, {k.at(v, 1), k.u(10)});
  k.call(twice, {k.at(v, 1)});
  k.call(in_private, {k.at(mine, 2), k.u(20)});
  k.call(in_workgroup, {k.at(shared, 3), k.u(30)});
  k.call(in_storage, {k.at(out, 3), k.u(40)});
  k.store(k.at(out, 0), k.load(k.at(v, 1)));
  k.store(k.at(out, 1), k.load(k.at(mine, 2)));
  k.store(k.at(out, 2), k.load(k.at(shared, 3)));
  k.end();
  Words target(4, 2);
  expect_ok(run_with(k.finish(), {1, 1, 1}, target));
  EXPECT_EQ(target, (Words{12, 20, 30, 42}));
}

TEST(Memory, RuntimeArraysBehindPointersKnowTheirLength) {
  KernelWriter k;
  const TypeId list = k.runtime_array(k.vec(ScalarKind::u32, 2));
  const TypeId s = k.structure("S", {{"head", k.u32}, {"tail", list}});
  const ExprId buffer = k.buffer("buffer", s);
  const FunctionId by_array =
      k.begin("by_array", {k.pointer_type(MemoryKind::storage, list), k.u32}, k.u32);
  k.store(k.at(k.at(k.parameter(0), k.parameter(1)), 1), k.u(5));
  k.store(k.at(k.at(k.parameter(0), k.u(0)), 0), k.u(6));
  k.store(k.at(k.at(k.parameter(0), k.u(3)), 0), k.u(66));  // outside
  k.return_(k.array_length(k.parameter(0)));
  k.end();
  const FunctionId by_struct =
      k.begin("by_struct", {k.pointer_type(MemoryKind::storage, s), k.u32}, k.u32);
  const ExprId length = k.call(by_array, {k.member(k.parameter(0), 1), k.parameter(1)});
  k.return_(k.add(k.mul(length, k.u(100)), k.array_length(k.member(k.parameter(0), 1))));
  k.end();
  k.begin("main");
  k.store(k.member(buffer, 0), k.call(by_struct, {buffer, k.u(2)}));
  k.call(by_struct, {buffer, k.u(3)});           // outside: dropped
  k.call(by_struct, {buffer, k.u(0xFFFFFFFF)});  // outside: dropped
  k.end();
  // 8 bytes of head and padding, three elements of 8, and half of a fourth.
  Words target(9, 1);
  expect_ok(run_with(k.finish(), {1, 1, 1}, target));
  EXPECT_EQ(target, (Words{303, 1, 6, 1, 1, 1, 1, 5, 1}));
}

TEST(Memory, PrivateMemoryStartsFreshForEveryInvocation) {
  KernelWriter k;
  const ExprId out = k.buffer("out", k.runtime_array(k.u32));
  const ExprId counter = k.private_("counter", k.u32, k.u(10));
  const ExprId empty = k.private_("empty", k.array(k.u32, 3));
  k.begin("main");
  k.add_to(counter, k.u(1));
  k.add_to(k.at(empty, 2), k.load(counter));
  k.store(k.at(out, k.global_x()), k.add(k.load(counter), k.load(k.at(empty, 2))));
  k.end();
  Words target(32, 0);
  expect_ok(run_with(k.finish({4, 1, 1}), {8, 1, 1}, target));
  EXPECT_EQ(target, Words(32, 22));
}

TEST(Memory, LargeConstantsAreIndexedInPlace) {
  KernelWriter k;
  const TypeId table = k.array(k.u32, 100);
  std::vector<std::uint64_t> scalars(100);
  for (std::uint64_t i = 0; i < 100; ++i) scalars[i] = i * i;
  const ExprId out = k.buffer("out", k.runtime_array(k.u32));
  k.begin("main");
  const ExprId constant = k.writer.constant(table, scalars);
  k.store(k.at(out, k.global_x()), k.at(constant, k.global_x()));
  const ExprId copy = k.var(constant);
  k.add_to(k.at(out, k.global_x()), k.load(k.at(copy, k.global_x())));
  k.end();
  Words target(104, 5);
  expect_ok(run_with(k.finish({8, 1, 1}), {13, 1, 1}, target));
  for (std::uint32_t i = 0; i < 104; ++i) EXPECT_EQ(target[i], i < 100 ? 2 * i * i : 0);
}

TEST(Memory, F16AndBoolValuesRoundTrip) {
  KernelWriter k;
  const TypeId half3 = k.vec(ScalarKind::f16, 3);
  const ExprId in = k.buffer("in", k.runtime_array(k.f16), Access::read);
  const ExprId out = k.buffer("out", k.runtime_array(half3));
  const ExprId flags = k.private_("flags", k.array(k.boolean, 4));
  k.begin("main");
  const ExprId i = k.let(k.global_x());
  const ExprId x = k.let(k.load(k.at(in, i)));
  k.store(k.at(flags, 1), k.less(x, k.h(2)));
  const ExprId v =
      k.let(k.construct(half3, {k.mul(x, x), k.select(k.h(-1), k.h(1), k.load(k.at(flags, 1))),
                                k.add(x, k.h(0.5F))}));
  k.store(k.at(out, i), k.swizzle(v, {2, 1, 0}));
  k.end();
  std::vector<std::uint16_t> source, target(16, 0xFFFF);
  for (const float v : {1.0F, 2.0F, 0.1F, 300.0F}) source.push_back(float_to_f16(v));
  expect_ok(run_with(k.finish(), {4, 1, 1}, source, target));
  for (std::size_t i = 0; i < 4; ++i) {
    const float x = f16_to_float(source[i]);
    EXPECT_EQ(target[4 * i], float_to_f16(x + 0.5F));
    EXPECT_EQ(target[4 * i + 1], float_to_f16(x < 2 ? 1 : -1));
    EXPECT_EQ(target[4 * i + 2], float_to_f16(x * x));
    EXPECT_EQ(target[4 * i + 3], 0xFFFF);
  }
}

TEST(Memory, VariablesMayBeAssignedFromThemselves) {
  KernelWriter k;
  const TypeId vec3 = k.vec(ScalarKind::u32, 3);
  const ExprId out = k.buffer("out", k.array(vec3, 3));
  k.begin("main");
  const ExprId v = k.var(k.construct(vec3, {k.u(1), k.u(2), k.u(3)}));
  k.store(v, k.swizzle(k.load(v), {2, 0, 1}));
  k.store(k.at(out, 0), k.load(v));
  k.store(v, k.construct(vec3, {k.load(k.at(v, 1)), k.load(k.at(v, 0)), k.load(k.at(v, 0))}));
  k.store(k.at(out, 1), k.load(v));
  k.store(v, k.splat(vec3, k.add(k.load(k.at(v, 1)), k.load(k.at(v, 0)))));
  k.store(k.at(out, 2), k.load(v));
  k.end();
  Words target(12, 0);
  expect_ok(run_with(k.finish(), {1, 1, 1}, target));
  EXPECT_EQ(target, (Words{3, 1, 2, 0, 1, 3, 3, 0, 4, 4, 4, 0}));
}

// ---- Bounds ------------------------------------------------------------------------------------

TEST(Bounds, LoadsOutsideGiveZeroAndStoresOutsideDoNothing) {
  KernelWriter k;
  const TypeId vec4 = k.vec(ScalarKind::i32, 4);
  const ExprId index = k.buffer("index", k.runtime_array(k.i32), Access::read);
  const ExprId out = k.buffer("out", k.runtime_array(k.i32));
  const ExprId data = k.buffer("data", k.array(k.i32, 4));
  k.begin("main");
  const ExprId g = k.let(k.global_x());
  const ExprId i = k.let(k.load(k.at(index, g)));
  const ExprId local = k.var(k.construct(vec4, {k.i(10), k.i(20), k.i(30), k.i(40)}));
  const ExprId value = k.let(k.load(local));
  const ExprId matrix = k.let(k.zero(k.mat(ScalarKind::f32, 4, 2)));
  // A column of a value, a component of a value, of a variable, an element of a buffer.
  const ExprId column = k.lane(k.at(matrix, i), 0);
  k.store(k.at(out, g), k.add(k.add(k.at(value, i), k.load(k.at(local, i))),
                              k.add(k.load(k.at(data, i)), k.convert(k.i32, column))));
  k.store(k.at(local, i), k.i(-1));
  k.store(k.at(data, i), k.i(7));
  k.add_to(k.at(out, g), k.mul(k.i(1000), k.load(k.at(local, 0))));
  k.end();
  std::vector<std::int32_t> indices{0, 3, 4, -1, 100, std::numeric_limits<std::int32_t>::min()};
  std::vector<std::int32_t> target(6, 5), buffer{1, 2, 3, 4};
  expect_ok(run_with(k.finish(), {6, 1, 1}, indices, target, buffer));
  EXPECT_EQ(target, (std::vector<std::int32_t>{21 - 1000, 84 + 10000, 10000, 10000, 10000, 10000}));
  EXPECT_EQ(buffer, (std::vector<std::int32_t>{7, 2, 3, 7}));
}

TEST(Bounds, ConstantIndicesOutsideBehaveTheSame) {
  KernelWriter k;
  const ExprId out = k.buffer("out", k.array(k.u32, 2));
  const ExprId list = k.buffer("list", k.runtime_array(k.u32));
  k.begin("main");
  k.store(k.at(out, 2), k.u(9));
  k.store(k.at(out, k.i(-1)), k.u(9));
  k.store(k.at(list, 3), k.u(9));
  k.store(k.at(out, 0), k.add(k.load(k.at(list, 3)), k.load(k.at(list, 2))));
  k.store(k.at(out, 1), k.array_length(list));
  k.end();
  Words target{1, 1}, buffer{3, 4, 5};
  expect_ok(run_with(k.finish(), {1, 1, 1}, target, buffer));
  EXPECT_EQ(target, (Words{5, 3}));
  EXPECT_EQ(buffer, (Words{3, 4, 5}));
}

TEST(Bounds, AtomicsOutsideDoNothingAndGiveZero) {
  KernelWriter k;
  const ExprId list = k.buffer("list", k.runtime_array(k.program.types.atomic(ScalarKind::u32)));
  const ExprId out = k.buffer("out", k.array(k.u32, 3));
  const TypeId exchanged = k.structure("R", {{"old_value", k.u32}, {"exchanged", k.boolean}});
  k.begin("main");
  const ExprId i = k.let(k.add(k.global_x(), k.u(2)));
  const ExprId old = k.atomic(AtomicOp::add, k.at(list, i), k.u(5));
  k.atomic(AtomicOp::store, k.at(list, i), k.u(5));
  const ExprId result =
      k.atomic(AtomicOp::compare_exchange, k.at(list, i), k.u(5), k.u(0), exchanged);
  k.store(k.at(out, 0), old);
  k.store(k.at(out, 1), k.member(result, 0));
  k.store(k.at(out, 2), k.convert(k.u32, k.member(result, 1)));
  k.end();
  Words buffer{8, 9}, target{1, 1, 1};
  expect_ok(run_with(k.finish(), {1, 1, 1}, buffer, target));
  EXPECT_EQ(buffer, (Words{8, 9}));
  EXPECT_EQ(target, (Words{0, 0, 0}));
}

// Memory that ends, and begins, at a page nobody may touch.
class Guarded {
 public:
  Guarded(std::size_t bytes, bool at_end) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t inner = (bytes + page - 1) / page * page;
    size_ = inner + 2 * page;
    base_ = static_cast<std::byte*>(
        mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_NE(base_, MAP_FAILED);
    EXPECT_EQ(mprotect(base_ + page, inner, PROT_READ | PROT_WRITE), 0);
    bytes_ = {base_ + page + (at_end ? inner - bytes : 0), bytes};
  }
  ~Guarded() { munmap(base_, size_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  std::span<std::byte> bytes() const { return bytes_; }

 private:
  std::byte* base_ = nullptr;
  std::size_t size_ = 0;
  std::span<std::byte> bytes_;
};

TEST(Bounds, NothingOutsideTheBindingIsTouched) {
  KernelWriter k;
  const TypeId item = k.structure(
      "Item", {{"v", k.vec(ScalarKind::f32, 3)}, {"n", k.u32}, {"w", k.vec(ScalarKind::f32, 3)}});
  const TypeId list = k.runtime_array(item);
  const ExprId buffer = k.buffer("buffer", list);
  const FunctionId touch = k.begin("touch", {k.pointer_type(MemoryKind::storage, list), k.u32},
                                   k.program.types.void_type());
  k.store(k.at(k.parameter(0), k.parameter(1)), k.load(k.at(k.parameter(0), k.parameter(1))));
  k.end();
  k.begin("main");
  // Indices around both ends, and far away, where a product of 32 bits would come back inside.
  const ExprId g = k.let(k.global_x());
  const ExprId step = k.var(k.u(1));
  k.count(k.u(0), k.u(32), [&](ExprId) {
    for (const ExprId i : {k.let(k.add(g, k.load(step))), k.let(k.sub(g, k.load(step)))}) {
      k.store(k.member(k.at(buffer, i), 1), k.add(k.load(k.member(k.at(buffer, i), 1)), k.u(1)));
      k.store(k.at(k.member(k.at(buffer, i), 2), i), k.f(1));
      k.store(k.at(buffer, i), k.load(k.at(buffer, i)));
      k.call(touch, {buffer, i});
    }
    k.store(step, k.mul(k.load(step), k.u(2)));
  });
  k.end();
  const Kernel kernel = k.finish({8, 1, 1});
  for (const bool at_end : {false, true}) {
    // Whole elements, and a rest that is part of one.
    for (const std::size_t size : {32U, 64U, 32U * 5, 32U * 5 + 1, 32U * 5 + 16, 32U * 128 + 31}) {
      const Guarded memory(size, at_end);
      const BoundBuffer bound{0, 0, memory.bytes()};
      expect_ok(interpret(kernel, {&bound, 1}, {.grid = {2, 1, 1}}));
      for (std::size_t i = size / 32 * 32; i < size; ++i) {
        EXPECT_EQ(memory.bytes()[i], std::byte{0}) << "the rest is not an element";
      }
    }
  }
}

TEST(Bounds, BuffersNeedNoAlignment) {
  KernelWriter k;
  const ExprId out = k.buffer("out", k.runtime_array(k.vec(ScalarKind::u32, 4)));
  k.begin("main");
  k.store(k.at(out, k.global_x()), k.splat(k.vec(ScalarKind::u32, 4), k.u(0x01010101)));
  k.end();
  std::vector<std::byte> memory(16 * 4 + 1);
  const BoundBuffer bound{0, 0, std::span(memory).subspan(1)};
  expect_ok(interpret(k.finish(), {&bound, 1}, {.grid = {4, 1, 1}}));
  EXPECT_EQ(memory[0], std::byte{0});
  for (std::size_t i = 1; i < memory.size(); ++i) EXPECT_EQ(memory[i], std::byte{1});
}

}  // namespace
}  // namespace vyre
