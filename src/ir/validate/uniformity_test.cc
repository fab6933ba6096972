#include "vyre/ir/validate/uniformity.h"

#include <gtest/gtest.h>

#include <functional>

#include "vyre/ir/builder/builder.h"

namespace vyre {
namespace {

// What the tests have at hand.
struct Scene {
  ProgramBuilder b{"f", {64, 1, 1}};
  Ref shared_flag = b.storage("shared_flag", b.u32);                    // may change while running
  Ref constant_flag = b.storage_read("constant_flag", b.array(b.u32));  // may not
  Ref parameters = b.uniform("parameters", b.u32);
  Ref tile = b.workgroup("tile", b.array(b.u32, 64));
  Ref own = b.private_("own", b.u32);
  Ref counter = b.storage("counter", b.atomic(b.u32));

  Value lane() { return b.local_index(); }
  void barrier() { b.workgroup_barrier(); }
};

using Write = std::function<void(Scene&)>;

std::string result_of(const Write& write) {
  Scene scene;
  write(scene);
  const auto program = std::move(scene.b).build();
  return program ? "" : program.error().what;
}

void expect_uniform(const Write& write) { EXPECT_EQ(result_of(write), ""); }
// One error, about uniformity.
void expect_varies(const Write& write, const std::string& because = "") {
  const std::string errors = result_of(write);
  EXPECT_NE(errors.find("program 'f' has 1 error\n"), std::string::npos) << errors;
  EXPECT_NE(errors.find("uniform"), std::string::npos) << errors;
  EXPECT_NE(errors.find(because), std::string::npos) << errors;
}

// A barrier behind a condition.
Write barrier_if(std::function<Value(Scene&)> condition) {
  return [condition](Scene& s) { s.b.if_(condition(s), [&] { s.barrier(); }); };
}

// ---- Values

TEST(Uniformity, BarriersAtTheTopAreFine) {
  expect_uniform([](Scene& s) {
    s.barrier();
    s.b.storage_barrier();
  });
}

TEST(Uniformity, IdsOfTheWorkgroupAreUniformAndThoseOfInvocationsAreNot) {
  expect_uniform(barrier_if([](Scene& s) { return s.b.workgroup_id().x() == 0u; }));
  expect_uniform(barrier_if([](Scene& s) { return s.b.workgroup_count().y() == 3u; }));
  expect_varies(barrier_if([](Scene& s) { return s.b.local_index() == 0u; }),
                "'local_invocation_index' differs between invocations");
  expect_varies(barrier_if([](Scene& s) { return s.b.local_id().y() == 0u; }),
                "'local_invocation_id' differs between invocations");
  expect_varies(barrier_if([](Scene& s) { return s.b.global_id().z() == 0u; }),
                "'global_invocation_id' differs between invocations");
}

TEST(Uniformity, MemoryIsUniformWhereNobodyCanWriteIt) {
  expect_uniform(barrier_if([](Scene& s) { return s.parameters == 0u; }));
  expect_uniform(barrier_if([](Scene& s) { return s.constant_flag[3u] == 0u; }));
  expect_varies(barrier_if([](Scene& s) { return s.constant_flag[s.lane()] == 0u; }),
                "local_invocation_index");
  expect_varies(
      barrier_if([](Scene& s) { return s.shared_flag == 0u; }),
      "'shared_flag' is read_write storage memory that other invocations may have written");
  expect_varies(barrier_if([](Scene& s) { return s.tile[0u] == 0u; }),
                "'tile' is workgroup memory");
  expect_varies(barrier_if([](Scene& s) { return s.own == 0u; }), "'own' is private memory");
  expect_uniform(barrier_if([](Scene& s) { return s.constant_flag.length() > 4u; }));
}

TEST(Uniformity, AtomicsGiveEachInvocationItsOwnResult) {
  expect_varies(barrier_if([](Scene& s) { return s.counter.atomic_add(1u) == 0u; }),
                "the result of an atomic operation");
}

TEST(Uniformity, AUniformLoadIsUniform) {
  expect_uniform([](Scene& s) {
    Value v = s.b.uniform_load(s.tile[0u]);
    s.b.if_(v == 0u, [&] { s.barrier(); });
  });
  expect_varies([](Scene& s) { s.b.uniform_load(s.tile[s.lane()]); },
                "workgroupUniformLoad takes the same address");
  expect_varies([](Scene& s) { s.b.if_(s.lane() == 0u, [&] { s.b.uniform_load(s.tile[0u]); }); });
}

TEST(Uniformity, LetsCarryWhatTheyAreMadeOf) {
  expect_uniform(barrier_if([](Scene& s) { return s.b.let("x", s.parameters + 1u) == 0u; }));
  expect_varies(barrier_if([](Scene& s) { return s.b.let("x", s.lane() + 1u) == 0u; }));
  expect_varies(barrier_if([](Scene& s) { return s.parameters == 0u && s.lane() == 0u; }));
  expect_varies(
      barrier_if([](Scene& s) { return s.b.select(1u, s.lane(), s.parameters == 0u) == 0u; }));
}

// ---- Variables

TEST(Uniformity, AVariableHasTheValueItWasLastGiven) {
  expect_uniform([](Scene& s) {
    Ref v = s.b.var("v", s.lane());
    v = 1u;
    s.b.if_(v == 1u, [&] { s.barrier(); });
  });
  expect_varies([](Scene& s) {
    Ref v = s.b.var("v", 1u);
    v = s.lane();
    s.b.if_(v == 1u, [&] { s.barrier(); });
  });
  expect_uniform([](Scene& s) {
    Ref v = s.b.var("v", s.b.u32);
    s.b.if_(v == 0u, [&] { s.barrier(); });
  });
}

TEST(Uniformity, APartialStoreKeepsTheRest) {
  expect_varies([](Scene& s) {
    Ref v = s.b.var("v", s.b.array(s.b.u32, 4));
    v[0u] = s.lane();
    v[0u] = 1u;
    s.b.if_(v[1u] == 1u, [&] { s.barrier(); });
  });
  expect_uniform([](Scene& s) {
    Ref v = s.b.var("v", s.b.array(s.b.u32, 4));
    v[0u] = s.lane();
    v = s.b.zero(s.b.array(s.b.u32, 4));
    s.b.if_(v[1u] == 1u, [&] { s.barrier(); });
  });
  expect_varies([](Scene& s) {
    Ref v = s.b.var("v", s.b.array(s.b.u32, 4));
    v[s.lane() % 4u] = 1u;
    s.b.if_(v[1u] == 1u, [&] { s.barrier(); });
  });
}

TEST(Uniformity, AStoreInNonUniformControlFlowMakesAVariableVary) {
  expect_varies([](Scene& s) {
    Ref v = s.b.var("v", 0u);
    s.b.if_(s.lane() == 0u, [&] { v = 1u; });
    s.b.if_(v == 1u, [&] { s.barrier(); });
  });
  expect_uniform([](Scene& s) {
    Ref v = s.b.var("v", 0u);
    s.b.if_(s.parameters == 0u, [&] { v = 1u; }, [&] { v = 2u; });
    s.b.if_(v == 1u, [&] { s.barrier(); });
  });
  expect_uniform([](Scene& s) {
    Ref v = s.b.var("v", 0u);
    s.b.if_(s.lane() == 0u, [&] { v = 1u; });
    v = 3u;
    s.b.if_(v == 1u, [&] { s.barrier(); });
  });
}

TEST(Uniformity, ABranchThatLeavesDoesNotJoin) {
  expect_uniform([](Scene& s) {
    Ref v = s.b.var("v", 0u);
    s.b.if_(s.parameters == 0u, [&] {
      v = s.lane();
      s.b.return_();
    });
    s.b.if_(v == 1u, [&] { s.barrier(); });
  });
}

// ---- Control flow

TEST(Uniformity, ControlFlowMeetsAgainBehindAnIf) {
  expect_uniform([](Scene& s) {
    s.b.if_(s.lane() == 0u, [&] { s.tile[0u] = 1u; });
    s.barrier();
  });
  expect_varies([](Scene& s) {
    s.b.if_(s.lane() == 0u, [&] { s.b.return_(); });
    s.barrier();
  });
  expect_uniform([](Scene& s) {
    s.b.if_(s.parameters == 0u, [&] { s.b.return_(); });
    s.barrier();
  });
}

TEST(Uniformity, BothSidesOfAnIfDependOnItsCondition) {
  expect_varies([](Scene& s) { s.b.if_(s.lane() == 0u, {}, [&] { s.barrier(); }); });
}

TEST(Uniformity, WhatIsNeverReachedDoesNotCount) {
  expect_uniform([](Scene& s) {
    s.b.if_(s.lane() == 0u, [&] {
      s.b.return_();
      s.barrier();
    });
  });
}

TEST(Uniformity, LoopsThatEndUniformly) {
  expect_uniform([](Scene& s) { s.b.for_("i", 0u, s.parameters, [&](Value) { s.barrier(); }); });
  expect_varies([](Scene& s) { s.b.for_("i", 0u, s.lane(), [&](Value) { s.barrier(); }); },
                "local_invocation_index");
  expect_varies([](Scene& s) { s.b.for_("i", s.lane(), 64u, [&](Value) { s.barrier(); }); });
}

TEST(Uniformity, DivergenceOfALoopEndsWithIt) {
  expect_uniform([](Scene& s) {
    s.b.for_("i", 0u, s.lane(), [&](Value i) { s.tile[i] = 1u; });
    s.barrier();
  });
  expect_varies([](Scene& s) {
    s.b.for_("i", 0u, s.parameters,
             [&](Value i) { s.b.if_(s.lane() == i, [&] { s.b.return_(); }); });
    s.barrier();
  });
}

TEST(Uniformity, ABreakSplitsTheRestOfTheLoop) {
  expect_varies([](Scene& s) {
    s.b.loop([&] {
      s.b.if_(s.lane() == 0u, [&] { s.b.break_(); });
      s.barrier();
    });
  });
  // The barrier of the next round.
  expect_varies([](Scene& s) {
    s.b.loop([&] {
      s.barrier();
      s.b.if_(s.lane() == 0u, [&] { s.b.break_(); });
    });
  });
  expect_uniform([](Scene& s) {
    s.b.loop([&] {
      s.b.if_(s.parameters == 0u, [&] { s.b.break_(); });
      s.barrier();
    });
  });
}

TEST(Uniformity, AContinueSplitsTheRestOfTheRound) {
  expect_varies([](Scene& s) {
    s.b.for_("i", 0u, s.parameters, [&](Value) {
      s.b.if_(s.lane() == 0u, [&] { s.b.continue_(); });
      s.barrier();
    });
  });
  // As WGSL has it, the split lasts to the next round too.
  expect_varies([](Scene& s) {
    s.b.loop(
        [&] {
          s.barrier();
          s.b.if_(s.lane() == 0u, [&] { s.b.continue_(); });
        },
        {}, [&] { return s.parameters == 0u; });
  });
}

TEST(Uniformity, ABreakIfIsPartOfTheNextRound) {
  expect_varies(
      [](Scene& s) { s.b.loop([&] { s.barrier(); }, {}, [&] { return s.lane() == 0u; }); });
  expect_uniform(
      [](Scene& s) { s.b.loop([&] { s.barrier(); }, {}, [&] { return s.parameters == 0u; }); });
  expect_varies([](Scene& s) {
    s.b.loop([&] { s.b.if_(s.lane() == 0u, [&] { s.b.continue_(); }); }, [&] { s.barrier(); },
             [&] { return s.parameters == 0u; });
  });
}

TEST(Uniformity, VariablesGoRoundWithTheLoop) {
  // Not uniform from the second round on.
  expect_varies([](Scene& s) {
    Ref v = s.b.var("v", 0u);
    s.b.for_("i", 0u, 4u, [&](Value) {
      s.b.if_(v == 0u, [&] { s.barrier(); });
      v = s.lane();
    });
  });
  expect_uniform([](Scene& s) {
    Ref v = s.b.var("v", 0u);
    s.b.for_("i", 0u, 4u, [&](Value i) {
      v = s.lane();
      v = i;
      s.b.if_(v == 0u, [&] { s.barrier(); });
    });
  });
  // What a break brings out.
  expect_varies([](Scene& s) {
    Ref v = s.b.var("v", 0u);
    s.b.loop([&] {
      s.b.if_(s.parameters == 0u, [&] {
        v = s.lane();
        s.b.break_();
      });
      v = 1u;
    });
    s.b.if_(v == 0u, [&] { s.barrier(); });
  });
  expect_uniform([](Scene& s) {
    Ref v = s.b.var("v", 0u);
    s.b.loop([&] {
      v = s.lane();
      s.b.if_(s.parameters == 0u, [&] {
        v = 2u;
        s.b.break_();
      });
    });
    s.b.if_(v == 0u, [&] { s.barrier(); });
  });
  // What a continue brings to the continuing part.
  expect_varies([](Scene& s) {
    Ref v = s.b.var("v", 0u);
    s.b.loop(
        [&] {
          s.b.if_(s.parameters == 3u, [&] {
            v = s.lane();
            s.b.continue_();
          });
          v = 1u;
        },
        [&] { s.b.if_(v == 0u, [&] { s.barrier(); }); }, [&] { return s.parameters == 0u; });
  });
}

TEST(Uniformity, SwitchesSplitByTheirSelector) {
  expect_varies([](Scene& s) { s.b.switch_(s.lane(), {{{1}, [&] { s.barrier(); }}}); },
                "this switch");
  expect_uniform([](Scene& s) { s.b.switch_(s.parameters, {{{1}, [&] { s.barrier(); }}}); });
  expect_uniform([](Scene& s) {
    s.b.switch_(s.lane(), {{{1}, [&] { s.b.break_(); }}}, [&] { s.tile[0u] = 1u; });
    s.barrier();
  });
  expect_varies([](Scene& s) {
    s.b.switch_(s.lane(), {{{1}, [&] { s.b.return_(); }}});
    s.barrier();
  });
  expect_varies([](Scene& s) {
    Ref v = s.b.var("v", 0u);
    s.b.switch_(s.parameters, {{{1}, [&] { v = s.lane(); }}});
    s.b.if_(v == 0u, [&] { s.barrier(); });
  });
  expect_uniform([](Scene& s) {
    Ref v = s.b.var("v", s.lane());
    s.b.switch_(s.parameters, {{{1}, [&] { v = 1u; }}}, [&] { v = 2u; });
    s.b.if_(v == 0u, [&] { s.barrier(); });
  });
}

// ---- Functions

TEST(Uniformity, AFunctionWithABarrierIsCalledUniformly) {
  const auto make = [](Scene& s) {
    return s.b.function("sync", s.b.none, {}, [&](auto) { s.barrier(); });
  };
  expect_uniform([&](Scene& s) { s.b.call(make(s), {}); });
  expect_varies(
      [&](Scene& s) {
        const FunctionId f = make(s);
        s.b.if_(s.lane() == 0u, [&] { s.b.call(f, {}); });
      },
      "the call of 'sync' must be in uniform control flow, since it reaches workgroupBarrier");
  expect_varies([&](Scene& s) {
    const FunctionId f = make(s);
    const FunctionId g = s.b.function("outer", s.b.none, {}, [&](auto) { s.b.call(f, {}); });
    s.b.if_(s.lane() == 0u, [&] { s.b.call(g, {}); });
  });
}

TEST(Uniformity, AReturnInsideAFunctionStaysInside) {
  expect_uniform([](Scene& s) {
    const FunctionId f = s.b.function("f", s.b.none, {{"x", s.b.u32}}, [&](auto p) {
      s.b.if_(p[0] == 0u, [&] { s.b.return_(); });
      s.tile[0u] = 1u;
    });
    s.b.call(f, {s.lane()});
    s.barrier();
  });
}

TEST(Uniformity, ParametersThatControlABarrierMustBeUniform) {
  const auto make = [](Scene& s) {
    return s.b.function("f", s.b.none, {{"x", s.b.u32}, {"y", s.b.u32}},
                        [&](auto p) { s.b.if_(p[0] == 0u, [&] { s.barrier(); }); });
  };
  expect_uniform([&](Scene& s) {
    const FunctionId f = make(s);
    s.b.call(f, {s.parameters, s.lane()});
  });
  expect_varies(
      [&](Scene& s) {
        const FunctionId f = make(s);
        s.b.call(f, {s.lane(), s.parameters});
      },
      "argument 'x' of 'f' must be uniform, since workgroupBarrier depends on it");
}

TEST(Uniformity, ResultsAreAsUniformAsWhatTheyAreMadeOf) {
  const auto sum = [](Scene& s) {
    return s.b.function("sum", s.b.u32, {{"x", s.b.u32}, {"y", s.b.u32}},
                        [&](auto p) { s.b.return_(p[0] + 1u); });
  };
  expect_uniform([&](Scene& s) {
    Value v = s.b.call(sum(s), {s.parameters, s.lane()});
    s.b.if_(v == 0u, [&] { s.barrier(); });
  });
  expect_varies([&](Scene& s) {
    Value v = s.b.call(sum(s), {s.lane(), s.parameters});
    s.b.if_(v == 0u, [&] { s.barrier(); });
  });
  expect_varies(
      [](Scene& s) {
        const FunctionId f =
            s.b.function("own_id", s.b.u32, {}, [&](auto) { s.b.return_(s.lane()); });
        Value v = s.b.call(f, {});
        s.b.if_(v == 0u, [&] { s.barrier(); });
      },
      "the result of 'own_id' may differ between invocations");
  // Which return is taken depends on the argument.
  expect_varies([](Scene& s) {
    const FunctionId f = s.b.function("f", s.b.u32, {{"x", s.b.u32}}, [&](auto p) {
      s.b.if_(p[0] == 0u, [&] { s.b.return_(1u); });
      s.b.return_(2u);
    });
    Value v = s.b.call(f, {s.lane()});
    s.b.if_(v == 0u, [&] { s.barrier(); });
  });
}

// ---- Pointers

TEST(Uniformity, MemoryBehindPointersIsFollowedThroughCalls) {
  const auto set = [](Scene& s) {
    const TypeId pointer = s.b.pointer(MemoryKind::function, s.b.u32);
    return s.b.function("set", s.b.none, {{"p", pointer}, {"v", s.b.u32}}, [&](auto p) {
      Ref at = s.b.deref(p[0]);
      at = p[1];
    });
  };
  expect_uniform([&](Scene& s) {
    const FunctionId f = set(s);
    Ref v = s.b.var("v", s.lane());
    s.b.call(f, {v, 1u});
    s.b.if_(v == 0u, [&] { s.barrier(); });
  });
  expect_varies([&](Scene& s) {
    const FunctionId f = set(s);
    Ref v = s.b.var("v", 0u);
    s.b.call(f, {v, s.lane()});
    s.b.if_(v == 0u, [&] { s.barrier(); });
  });
  expect_varies([&](Scene& s) {
    const FunctionId f = set(s);
    Ref v = s.b.var("v", 0u);
    s.b.if_(s.lane() == 0u, [&] { s.b.call(f, {v, 1u}); });
    s.b.if_(v == 0u, [&] { s.barrier(); });
  });
  // A part of a variable.
  expect_varies([&](Scene& s) {
    const FunctionId f = set(s);
    Ref v = s.b.var("v", s.b.array(s.b.u32, 2));
    v[1u] = s.lane();
    s.b.call(f, {v[0u], 1u});
    s.b.if_(v[0u] == 0u, [&] { s.barrier(); });
  });
}

TEST(Uniformity, ContentsBehindAPointerCanBeRequired) {
  const auto make = [](Scene& s) {
    const TypeId pointer = s.b.pointer(MemoryKind::function, s.b.u32);
    return s.b.function("f", s.b.none, {{"p", pointer}},
                        [&](auto p) { s.b.if_(s.b.deref(p[0]) == 0u, [&] { s.barrier(); }); });
  };
  expect_uniform([&](Scene& s) {
    const FunctionId f = make(s);
    Ref v = s.b.var("v", s.parameters);
    s.b.call(f, {v});
  });
  expect_varies(
      [&](Scene& s) {
        const FunctionId f = make(s);
        Ref v = s.b.var("v", s.lane());
        s.b.call(f, {v});
      },
      "argument 'p' of 'f' must be uniform");
}

TEST(Uniformity, ContentsCanFlowFromOnePointerToAnother) {
  const auto copy = [](Scene& s) {
    const TypeId pointer = s.b.pointer(MemoryKind::function, s.b.u32);
    return s.b.function("copy", s.b.none, {{"to", pointer}, {"from", pointer}}, [&](auto p) {
      Ref to = s.b.deref(p[0]);
      Ref from = s.b.deref(p[1]);
      to = from;
    });
  };
  expect_varies([&](Scene& s) {
    const FunctionId f = copy(s);
    Ref a = s.b.var("a", 0u);
    Ref c = s.b.var("c", s.lane());
    s.b.call(f, {a, c});
    s.b.if_(a == 0u, [&] { s.barrier(); });
  });
  expect_uniform([&](Scene& s) {
    const FunctionId f = copy(s);
    Ref a = s.b.var("a", s.lane());
    Ref c = s.b.var("c", 0u);
    s.b.call(f, {a, c});
    s.b.if_(a == 0u, [&] { s.barrier(); });
  });
}

TEST(Uniformity, PointersToSharedMemoryReadWhatMayVary) {
  const auto read = [](Scene& s, MemoryKind memory, Access access) {
    const TypeId pointer = s.b.pointer(memory, s.b.u32, access);
    return s.b.function("read", s.b.u32, {{"p", pointer}},
                        [&](auto p) { s.b.return_(s.b.deref(p[0])); });
  };
  expect_varies([&](Scene& s) {
    Value v = s.b.call(read(s, MemoryKind::workgroup, Access::read_write), {s.tile[0u]});
    s.b.if_(v == 0u, [&] { s.barrier(); });
  });
  expect_uniform([&](Scene& s) {
    Value v = s.b.call(read(s, MemoryKind::storage, Access::read), {s.constant_flag[1u]});
    s.b.if_(v == 0u, [&] { s.barrier(); });
  });
  expect_varies([&](Scene& s) {
    Value v = s.b.call(read(s, MemoryKind::storage, Access::read), {s.constant_flag[s.lane()]});
    s.b.if_(v == 0u, [&] { s.barrier(); });
  });
}

TEST(Uniformity, AUniformLoadThroughAParameterWantsAUniformPointer) {
  const auto load = [](Scene& s) {
    const TypeId pointer = s.b.pointer(MemoryKind::workgroup, s.b.u32);
    return s.b.function("load", s.b.u32, {{"p", pointer}},
                        [&](auto p) { s.b.return_(s.b.uniform_load(s.b.deref(p[0]))); });
  };
  expect_uniform([&](Scene& s) { s.b.call(load(s), {s.tile[0u]}); });
  expect_varies([&](Scene& s) { s.b.call(load(s), {s.tile[s.lane()]}); },
                "argument 'p' of 'load' must be uniform");
}

// ---- Reports

TEST(Uniformity, NamesTheBranchAndTheReason) {
  const std::string errors = result_of(barrier_if([](Scene& s) { return s.shared_flag == 0u; }));
  EXPECT_NE(errors.find("workgroupBarrier must be in uniform control flow"), std::string::npos);
  EXPECT_NE(errors.find("this if depends on a value that may not be uniform"), std::string::npos);
  EXPECT_NE(errors.find("'shared_flag' is read_write storage memory"), std::string::npos);
}

TEST(Uniformity, ReportsEveryBarrier) {
  const std::string errors = result_of([](Scene& s) {
    s.b.if_(s.lane() == 0u, [&] {
      s.barrier();
      s.b.storage_barrier();
    });
    s.barrier();
    s.b.if_(s.shared_flag == 0u, [&] { s.barrier(); });
  });
  EXPECT_NE(errors.find("has 3 errors"), std::string::npos) << errors;
}

}  // namespace
}  // namespace vyre
