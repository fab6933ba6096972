#include "vyre/ir/stats.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "vyre/ir/builder/builder.h"

namespace vyre {
namespace {

Stats stats_of(const std::function<void(ProgramBuilder&)>& write, Extent workgroup = {64, 1, 1}) {
  ProgramBuilder b("f", workgroup);
  write(b);
  auto program = std::move(b).build();
  EXPECT_TRUE(program) << (program ? "" : program.error().what);
  return program ? stats(*program) : Stats();
}

TEST(Stats, CountsWhatTheEntryReaches) {
  const Stats s = stats_of([](ProgramBuilder& b) {
    Ref x = b.storage("x", b.array(b.u32));
    Ref c = b.storage("c", b.atomic(b.u32));
    Ref tile = b.workgroup("tile", b.array(b.u32, 64));
    Ref local = b.var("local", 1u);
    tile[b.local_index()] = x[b.global_id().x()];  // a load, a store
    b.workgroup_barrier();
    local = local + tile[0u];  // a load; the variable does not count
    c.atomic_add(local);
    b.for_("i", 0u, 4u, [&](Value i) { x[i] = i; });  // a store, a loop
  });
  EXPECT_EQ(s.loads, 2U);
  EXPECT_EQ(s.stores, 2U);
  EXPECT_EQ(s.atomics, 1U);
  EXPECT_EQ(s.barriers, 1U);
  EXPECT_EQ(s.loops, 1U);
  EXPECT_EQ(s.calls, 0U);
  EXPECT_EQ(s.workgroup_bytes, 256U);
  EXPECT_TRUE(s.uses_global_id);
  EXPECT_TRUE(s.uses_local_id);
  EXPECT_FALSE(s.uses_workgroup_id);
  EXPECT_FALSE(s.uses_workgroup_count);
  EXPECT_TRUE(s.has_effects);
  EXPECT_FALSE(s.pointwise);
}

TEST(Stats, TellsSubgroupIdsFromLocalIds) {
  const auto storing = [](auto&& value) {
    return stats_of([&](ProgramBuilder& b) {
      Ref x = b.storage("x", b.array(b.u32));
      x[b.global_id().x()] = value(b);
    });
  };
  const Stats lane = storing([](ProgramBuilder& b) { return b.local_index() & 31u; });
  EXPECT_FALSE(lane.uses_local_id);
  EXPECT_TRUE(lane.uses_subgroup_id);
  EXPECT_TRUE(reads_workgroup_ids(lane));
  const Stats number = storing([](ProgramBuilder& b) { return b.local_index() >> 5u; });
  EXPECT_FALSE(number.uses_local_id);
  const Stats both =
      storing([](ProgramBuilder& b) { return (b.local_index() >> 5u) + b.local_index(); });
  EXPECT_TRUE(both.uses_local_id);
  const Stats other = storing([](ProgramBuilder& b) { return b.local_index() & 15u; });
  EXPECT_TRUE(other.uses_local_id);
  EXPECT_FALSE(other.uses_subgroup_id);
}

TEST(Stats, CountsNodesOfExpressionsAndStatements) {
  const Stats s = stats_of([](ProgramBuilder& b) {
    Ref x = b.storage("x", b.u32);
    x = x + 1u;  // store, pointer, sum, load, pointer, constant
  });
  EXPECT_EQ(s.nodes, 6U);
}

TEST(Stats, CountsFunctionsOncePerCallSite) {
  const Stats s = stats_of([](ProgramBuilder& b) {
    Ref x = b.storage("x", b.array(b.u32));
    const FunctionId inner = b.function("inner", b.none, {}, [&](auto) { x[0u] = 1u; });
    const FunctionId outer = b.function("outer", b.none, {}, [&](auto) {
      b.call(inner, {});
      b.call(inner, {});
    });
    b.function("unused", b.none, {}, [&](auto) { b.workgroup_barrier(); });
    b.call(outer, {});
    b.call(outer, {});
    b.call(inner, {});
  });
  EXPECT_EQ(s.stores, 5U);
  EXPECT_EQ(s.calls, 7U);
  EXPECT_EQ(s.barriers, 0U);
}

TEST(Stats, CountsOfManyCallsStopAtTheEnd) {
  const Stats s = stats_of([](ProgramBuilder& b) {
    Ref x = b.storage("x", b.u32);
    FunctionId f = b.function("f0", b.none, {}, [&](auto) { x = 1u; });
    for (int i = 0; i < 40; ++i) {
      f = b.function("f", b.none, {}, [&](auto) {
        b.call(f, {});
        b.call(f, {});
      });
    }
    b.call(f, {});
  });
  EXPECT_EQ(s.stores, std::numeric_limits<std::uint32_t>::max());
}

TEST(Stats, OnlyWritesTheHostSeesAreEffects) {
  EXPECT_FALSE(stats_of([](ProgramBuilder& b) {
                 Ref tile = b.workgroup("tile", b.u32);
                 Ref in = b.storage("in", b.atomic(b.u32));
                 tile = in.atomic_load();
               }).has_effects);
  EXPECT_TRUE(stats_of([](ProgramBuilder& b) {
                b.storage("c", b.atomic(b.u32)).atomic_add(1u);
              }).has_effects);
}

TEST(Stats, WorkgroupMemoryIsLaidOutInOrder) {
  const Stats s = stats_of([](ProgramBuilder& b) {
    Ref flag = b.workgroup("flag", b.u32);
    Ref tile = b.workgroup("tile", b.vec(b.f32, 4));
    b.workgroup("unused", b.array(b.f32, 1000));
    flag = 1u;
    tile.x() = 1.0F;
  });
  EXPECT_EQ(s.workgroup_bytes, 32U);
}

// ---- Pointwise

TEST(Pointwise, IndexedByTheGlobalIdAlone) {
  EXPECT_TRUE(stats_of([](ProgramBuilder& b) {
                Ref x = b.storage_read("x", b.array(b.f32));
                Ref y = b.storage("y", b.array(b.f32));
                Ref a = b.uniform("a", b.f32);
                Value i = b.let("i", b.global_id().x());
                b.if_(i < y.length(), [&] { y[i] = a * x[i] + y[i]; });
              }).pointwise);
}

TEST(Pointwise, PartsOfTheOwnElementCount) {
  EXPECT_TRUE(stats_of([](ProgramBuilder& b) {
                const TypeId body =
                    b.structure("Body", {{"pos", b.vec(b.f32, 3)}, {"tag", b.array(b.u32, 4)}});
                const TypeId all = b.structure("All", {{"n", b.u32}, {"bodies", b.array(body)}});
                Ref s = b.storage("s", all);
                Ref mine = s.member("bodies")[b.global_id()[0u]];
                mine.member("pos").x() = mine.member("pos").y();
                mine.member("tag")[2u] = 1u;
              }).pointwise);
}

TEST(Pointwise, ThroughFunctionsAndPointers) {
  EXPECT_TRUE(stats_of([](ProgramBuilder& b) {
                Ref y = b.storage("y", b.array(b.u32));
                const TypeId pointer = b.pointer(MemoryKind::storage, b.u32);
                const FunctionId bump = b.function("bump", b.none, {{"p", pointer}}, [&](auto p) {
                  Ref at = b.deref(p[0]);
                  at += 1;
                });
                const FunctionId set =
                    b.function("set", b.none, {{"i", b.u32}}, [&](auto p) { y[p[0]] = 1u; });
                Value i = b.global_id().x();
                b.call(set, {i});
                b.call(bump, {y[i].address()});
              }).pointwise);
  EXPECT_FALSE(stats_of([](ProgramBuilder& b) {
                 Ref y = b.storage("y", b.array(b.u32));
                 const FunctionId set =
                     b.function("set", b.none, {{"i", b.u32}}, [&](auto p) { y[p[0]] = 1u; });
                 Value i = b.global_id().x();
                 b.call(set, {i});
                 b.call(set, {i + 1u});
               }).pointwise);
}

TEST(Pointwise, AnythingElseIsNot) {
  const auto store_at = [](std::function<Value(ProgramBuilder&)> index,
                           Extent workgroup = {64, 1, 1}) {
    return stats_of(
               [&](ProgramBuilder& b) {
                 Ref y = b.storage("y", b.array(b.u32));
                 y[index(b)] = 1u;
               },
               workgroup)
        .pointwise;
  };
  EXPECT_TRUE(store_at([](auto& b) { return b.global_id().x(); }));
  EXPECT_FALSE(store_at([](auto& b) { return b.global_id().y(); }));
  EXPECT_FALSE(store_at([](auto& b) { return b.global_id().x() + 1u; }));
  EXPECT_FALSE(store_at([](auto& b) { return b.local_id().x(); }));
  EXPECT_FALSE(store_at([](auto& b) { return b.local_index(); }));
  EXPECT_FALSE(store_at([](auto& b) { return b.workgroup_id().x(); }));
  EXPECT_FALSE(store_at([](auto& b) { return b.constant(b.u32, 0); }));
  EXPECT_FALSE(store_at([](auto& b) { return b.global_id().x(); }, {8, 8, 1}));
  // A storage access without an index.
  EXPECT_FALSE(stats_of([](ProgramBuilder& b) {
                 Ref n = b.storage_read("n", b.u32);
                 Ref y = b.storage("y", b.array(b.u32));
                 y[b.global_id().x()] = n;
               }).pointwise);
  // No storage access at all.
  EXPECT_FALSE(stats_of([](ProgramBuilder&) {}).pointwise);
}

}  // namespace
}  // namespace vyre
