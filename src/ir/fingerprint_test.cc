#include "vyre/ir/fingerprint.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "vyre/ir/builder/builder.h"
#include "vyre/ir/fuse_multiply_add.h"
#include "vyre/ir/specialise.h"

namespace vyre {
namespace {

using Write = std::function<void(ProgramBuilder&)>;

Program program_of(const Write& write, Extent workgroup = {64, 1, 1}, std::string name = "f") {
  ProgramBuilder b(std::move(name), workgroup);
  write(b);
  auto program = std::move(b).build();
  EXPECT_TRUE(program) << (program ? "" : program.error().what);
  return program ? *std::move(program) : Program();
}

Digest of(const Write& write, Extent workgroup = {64, 1, 1}, std::string name = "f") {
  return fingerprint(program_of(write, workgroup, std::move(name)));
}

// A program with a bit of everything, and a knob for each thing that names do or do not matter to.
struct Sample {
  std::string program = "f", buffer = "x", other_buffer = "y", local = "i", variable = "sum";
  std::string function = "square", parameter = "v", structure = "Params", field = "n";
  std::string shared = "tile";
  bool buffers_swapped = false;
  bool unused_things = false;
  std::function<SourcePos(SourcePos)> moved = [](SourcePos p) { return p; };

  Program make() const {
    ProgramBuilder b(program, {64, 1, 1});
    if (unused_things) {
      b.structure("Nothing", {{"a", b.vec(b.f16, 3)}});
      b.workgroup("unused_too", b.u32);
      b.override_("never", b.f32, 3.0);
      b.function("idle", b.none, {}, [&](auto) { b.workgroup_barrier(); });
    }
    const TypeId params = b.structure(structure, {{field, b.u32}, {"scale", b.f32}});
    const TypeId array = b.array(b.f32);
    std::optional<Ref> x, y;
    if (buffers_swapped) y.emplace(b.storage(other_buffer, array, BindingPoint{0, 1}));
    x.emplace(b.storage_read(buffer, array, BindingPoint{0, 0}));
    if (!buffers_swapped) y.emplace(b.storage(other_buffer, array, BindingPoint{0, 1}));
    Ref p = b.uniform("p", params, BindingPoint{0, 2});
    Ref tile = b.workgroup(shared, b.array(b.f32, 64));
    if (unused_things) {
      b.function("idle_too", b.f32, {{"q", b.f32}}, [&](auto a) { b.return_(a[0] + 1.0F); });
    }
    const FunctionId f =
        b.function(function, b.f32, {{parameter, b.f32}}, [&](auto a) { b.return_(a[0] * a[0]); });
    Value i = b.let(local, b.global_id().x());
    Ref sum = b.var(variable, b.f32);
    tile[b.local_index()] = (*x)[i];
    b.workgroup_barrier();
    b.for_("k", 0u, p.member(field), [&](Value k) { sum += b.call(f, {tile[k]}); });
    (*y)[i] = sum * p.member("scale");
    auto program = std::move(b).build();
    EXPECT_TRUE(program) << (program ? "" : program.error().what);
    if (!program) return {};
    for (Expr& e : program->exprs) e.pos = moved(e.pos);
    for (Stmt& s : program->stmts) s.pos = moved(s.pos);
    return *std::move(program);
  }
};

Digest of(const Sample& sample) { return fingerprint(sample.make()); }

TEST(Fingerprint, IsStableFromRunToRun) {
  EXPECT_EQ(of(Sample()), of(Sample()));
  EXPECT_EQ(to_hex(of([](ProgramBuilder&) {})),
            to_hex(of([](ProgramBuilder&) {}, {64, 1, 1}, "another name")));
}

TEST(Fingerprint, NamesDoNotCount) {
  const Digest base = of(Sample());
  EXPECT_EQ(of(Sample{.program = "g"}), base);
  EXPECT_EQ(of(Sample{.buffer = "input"}), base);
  EXPECT_EQ(of(Sample{.other_buffer = "output"}), base);
  EXPECT_EQ(of(Sample{.local = "index"}), base);
  EXPECT_EQ(of(Sample{.variable = "total"}), base);
  EXPECT_EQ(of(Sample{.function = "sq"}), base);
  EXPECT_EQ(of(Sample{.parameter = "w"}), base);
  EXPECT_EQ(of(Sample{.structure = "Settings"}), base);
  EXPECT_EQ(of(Sample{.field = "count"}), base);
  EXPECT_EQ(of(Sample{.shared = "cache"}), base);
}

TEST(Fingerprint, PositionsDoNotCount) {
  Sample moved;
  moved.moved = [](SourcePos p) { return SourcePos{p.line * 3 + 7, p.column + 1}; };
  EXPECT_EQ(of(moved), of(Sample()));
  Program elsewhere = Sample().make();
  elsewhere.source_name = "other.wgsl";
  EXPECT_EQ(fingerprint(elsewhere), of(Sample()));
}

TEST(Fingerprint, DeclarationOrderAndUnusedThingsDoNotCount) {
  EXPECT_EQ(of(Sample{.buffers_swapped = true}), of(Sample()));
  EXPECT_EQ(of(Sample{.unused_things = true}), of(Sample()));
  EXPECT_EQ(of(Sample{.buffers_swapped = true, .unused_things = true}), of(Sample()));
}

// Compiled code finds its bindings by slot, and bindings that nothing names have slots too.
TEST(Fingerprint, UnusedBindingsCount) {
  const auto with = [](std::optional<BindingPoint> unused) {
    return to_hex(of([&](ProgramBuilder& b) {
      Ref x = b.storage("x", b.u32, BindingPoint{0, 3});
      if (unused) b.storage_read("unused", b.u32, *unused);
      x = 5u;
    }));
  };
  const std::set<std::string> all{with({}), with(BindingPoint{0, 0}), with(BindingPoint{0, 7})};
  EXPECT_EQ(all.size(), 3U);
}

TEST(Fingerprint, OrderOfFunctionsDoesNotCount) {
  const auto with = [](bool swapped) {
    return of([&](ProgramBuilder& b) {
      Ref x = b.storage("x", b.u32);
      FunctionId one{}, two{};
      const auto make_one = [&] {
        one = b.function("one", b.u32, {}, [&](auto) { b.return_(x + 1u); });
      };
      const auto make_two = [&] {
        two = b.function("two", b.u32, {}, [&](auto) { b.return_(x * 3u); });
      };
      if (swapped) make_two();
      make_one();
      if (!swapped) make_two();
      x = b.call(one, {}) + b.call(two, {});
    });
  };
  EXPECT_EQ(with(false), with(true));
}

TEST(Fingerprint, StructsWithOneLayoutAreOne) {
  const auto with = [](bool two_structs) {
    return of([&](ProgramBuilder& b) {
      const TypeId s = b.structure("S", {{"a", b.u32}});
      const TypeId t = two_structs ? b.structure("T", {{"b", b.u32}}) : s;
      Ref x = b.storage("x", s);
      Ref y = b.storage("y", t);
      x.member("a") = y.member(two_structs ? "b" : "a");
    });
  };
  EXPECT_EQ(with(false), with(true));
}

TEST(Fingerprint, AnOverrideIsItsValue) {
  const Program open = program_of([](ProgramBuilder& b) {
    Ref x = b.storage("x", b.u32);
    Value n = b.override_("n", b.u32, 4);
    x = x * (n + 1u);
  });
  const Digest fixed = of([](ProgramBuilder& b) {
    Ref x = b.storage("x", b.u32);
    x = x * 5u;
  });
  EXPECT_EQ(fingerprint(*specialise(open, {})), fixed);
  const OverrideValue other[] = {{"n", 5}};
  EXPECT_NE(fingerprint(*specialise(open, other)), fixed);
}

TEST(Fingerprint, ZeroIsZeroHoweverItIsWritten) {
  const auto with = [](bool spelled) {
    return of([&](ProgramBuilder& b) {
      Ref x = b.storage("x", b.u32);
      x = spelled ? b.constant(b.u32, 0) : b.zero(b.u32);
    });
  };
  EXPECT_EQ(with(true), with(false));
}

// ---- What must change it: all of these differ from each other.

class Differing {
 public:
  void add(const std::string& what, const Digest& digest) {
    const auto [found, fresh] = seen_.try_emplace(digest, what);
    EXPECT_TRUE(fresh) << "'" << what << "' and '" << found->second << "' have one fingerprint";
  }
  void add(const std::string& what, const Write& write, Extent workgroup = {64, 1, 1}) {
    add(what, of(write, workgroup));
  }

 private:
  std::map<Digest, std::string> seen_;
};

TEST(Fingerprint, MeaningCounts) {
  Differing all;
  const auto store = [](std::function<Value(ProgramBuilder&, Ref)> value) {
    return [value](ProgramBuilder& b) {
      Ref x = b.storage("x", b.array(b.i32));
      x[b.global_id().x()] = value(b, x);
    };
  };
  all.add("base", store([](auto&, Ref x) { return x[0u] + 2; }));
  all.add("another literal", store([](auto&, Ref x) { return x[0u] + 3; }));
  all.add("another operator", store([](auto&, Ref x) { return x[0u] - 2; }));
  all.add("operands swapped", store([](auto&, Ref x) { return 2 + x[0u]; }));
  all.add("another index", store([](auto&, Ref x) { return x[1u] + 2; }));
  all.add("a negation", store([](auto&, Ref x) { return -(x[0u] + 2); }));
  all.add("a complement", store([](auto&, Ref x) { return ~(x[0u] + 2); }));
  all.add("a negation inside", store([](auto&, Ref x) { return -x[0u] + 2; }));
  all.add("grouped left", store([](auto&, Ref x) { return (x[0u] + 2) + 3; }));
  all.add("grouped right", store([](auto&, Ref x) { return x[0u] + (x[2u] + 3); }));
  all.add("min", store([](auto&, Ref x) { return math(MathFn::min, {x[0u], 2}); }));
  all.add("max", store([](auto&, Ref x) { return math(MathFn::max, {x[0u], 2}); }));
  all.add("max, swapped", store([](auto&, Ref x) { return math(MathFn::max, {2, x[0u]}); }));
  all.add("a select", store([](auto& b, Ref x) { return b.select(x[0u], 2, x[0u] < 1); }));
  all.add("a select, swapped", store([](auto& b, Ref x) { return b.select(2, x[0u], x[0u] < 1); }));
  all.add("a bitcast",
          store([](auto& b, Ref x) { return b.bitcast(b.i32, b.bitcast(b.f32, x[0u])); }));
  all.add("a conversion",
          store([](auto& b, Ref x) { return b.convert(b.i32, b.convert(b.f32, x[0u])); }));
  all.add("an id", store([](auto& b, Ref) { return b.convert(b.i32, b.global_id().x()); }));
  all.add("another lane", store([](auto& b, Ref) { return b.convert(b.i32, b.global_id().y()); }));
  all.add("another id", store([](auto& b, Ref) { return b.convert(b.i32, b.local_id().x()); }));
  all.add("the workgroup's id",
          store([](auto& b, Ref) { return b.convert(b.i32, b.workgroup_id().x()); }));
  all.add("a larger workgroup", store([](auto&, Ref x) { return x[0u] + 2; }), {128, 1, 1});
  all.add("another axis", store([](auto&, Ref x) { return x[0u] + 2; }), {1, 64, 1});
}

TEST(Fingerprint, DeclarationsCount) {
  Differing all;
  const auto copy = [](std::function<Ref(ProgramBuilder&)> from,
                       std::function<Ref(ProgramBuilder&)> to) {
    return [=](ProgramBuilder& b) {
      Ref source = from(b);
      Ref target = to(b);
      target = source;
    };
  };
  const auto to = [](ProgramBuilder& b) { return b.storage("y", b.u32, BindingPoint{2, 2}); };
  all.add("read", copy([](auto& b) { return b.storage_read("x", b.u32, BindingPoint{0, 0}); }, to));
  all.add("read_write",
          copy([](auto& b) { return b.storage("x", b.u32, BindingPoint{0, 0}); }, to));
  all.add("uniform", copy([](auto& b) { return b.uniform("x", b.u32, BindingPoint{0, 0}); }, to));
  all.add("binding",
          copy([](auto& b) { return b.storage_read("x", b.u32, BindingPoint{0, 1}); }, to));
  all.add("group",
          copy([](auto& b) { return b.storage_read("x", b.u32, BindingPoint{1, 0}); }, to));
  all.add("workgroup", copy([](auto& b) { return b.workgroup("x", b.u32); }, to));
  all.add("private", copy([](auto& b) { return b.private_("x", b.u32); }, to));
  all.add("private, one", copy([](auto& b) { return b.private_("x", 1u); }, to));
  all.add("private, two", copy([](auto& b) { return b.private_("x", 2u); }, to));
  all.add("variable", copy([](auto& b) { return b.var("x", b.u32); }, to));
  all.add("variable, one", copy([](auto& b) { return b.var("x", 1u); }, to));

  const auto touch = [](std::function<TypeId(ProgramBuilder&)> type) {
    return [=](ProgramBuilder& b) {
      Ref x = b.storage("x", type(b));
      Ref y = b.storage("y", b.u32);
      y = x.member("b");
    };
  };
  all.add("two members",
          touch([](auto& b) { return b.structure("S", {{"a", b.u32}, {"b", b.u32}}); }));
  all.add("another type",
          touch([](auto& b) { return b.structure("S", {{"a", b.f32}, {"b", b.u32}}); }));
  all.add("another order",
          touch([](auto& b) { return b.structure("S", {{"b", b.u32}, {"a", b.u32}}); }));
  all.add("a wider member",
          touch([](auto& b) { return b.structure("S", {{"a", b.vec(b.u32, 2)}, {"b", b.u32}}); }));
  all.add("a third member", touch([](auto& b) {
            return b.structure("S", {{"a", b.u32}, {"b", b.u32}, {"c", b.u32}});
          }));
  all.add("an array of 3", touch([](auto& b) {
            return b.structure("S", {{"a", b.array(b.u32, 3)}, {"b", b.u32}});
          }));
  all.add("an array of 4", touch([](auto& b) {
            return b.structure("S", {{"a", b.array(b.u32, 4)}, {"b", b.u32}});
          }));
}

TEST(Fingerprint, ControlFlowCounts) {
  Differing all;
  const auto with = [](std::function<void(ProgramBuilder&, Ref)> write) {
    return [write](ProgramBuilder& b) {
      Ref x = b.storage("x", b.u32);
      write(b, x);
    };
  };
  all.add("nothing", with([](auto&, Ref) {}));
  all.add("one store", with([](auto&, Ref x) { x = 1u; }));
  all.add("two stores", with([](auto&, Ref x) {
            x = 1u;
            x = 2u;
          }));
  all.add("two stores, swapped", with([](auto&, Ref x) {
            x = 2u;
            x = 1u;
          }));
  all.add("in then", with([](auto& b, Ref x) { b.if_(x == 0u, [&] { x = 1u; }); }));
  all.add("in else", with([](auto& b, Ref x) { b.if_(x == 0u, {}, [&] { x = 1u; }); }));
  all.add("after the if", with([](auto& b, Ref x) {
            b.if_(x == 0u, {});
            x = 1u;
          }));
  all.add("both", with([](auto& b, Ref x) { b.if_(x == 0u, [&] { x = 1u; }, [&] { x = 2u; }); }));
  all.add("loop", with([](auto& b, Ref x) {
            b.loop([&] {
              x = 1u;
              b.break_();
            });
          }));
  all.add("loop, break first", with([](auto& b, Ref x) {
            b.loop([&] {
              b.break_();
              x = 1u;
            });
          }));
  all.add("loop, return", with([](auto& b, Ref x) {
            b.loop([&] {
              x = 1u;
              b.return_();
            });
          }));
  all.add("loop, continuing", with([](auto& b, Ref x) {
            b.loop([&] { b.if_(x == 0u, [&] { b.break_(); }); }, [&] { x = 1u; });
          }));
  all.add("loop, in body", with([](auto& b, Ref x) {
            b.loop([&] {
              b.if_(x == 0u, [&] { b.break_(); });
              x = 1u;
            });
          }));
  all.add("loop, break if",
          with([](auto& b, Ref x) { b.loop([&] { x = 1u; }, {}, [&] { return x == 0u; }); }));
  all.add("switch", with([](auto& b, Ref x) { b.switch_(x, {{{1, 2}, [&] { x = 1u; }}}); }));
  all.add("switch, one value",
          with([](auto& b, Ref x) { b.switch_(x, {{{1}, [&] { x = 1u; }}}); }));
  all.add("switch, another", with([](auto& b, Ref x) { b.switch_(x, {{{2}, [&] { x = 1u; }}}); }));
  all.add("switch, two cases",
          with([](auto& b, Ref x) { b.switch_(x, {{{1}, [&] { x = 1u; }}, {{2}, {}}}); }));
  all.add("switch, default",
          with([](auto& b, Ref x) { b.switch_(x, {{{1}, {}}}, [&] { x = 1u; }); }));
  all.add("barrier", with([](auto& b, Ref x) {
            x = 1u;
            b.workgroup_barrier();
          }));
  all.add("storage barrier", with([](auto& b, Ref x) {
            x = 1u;
            b.storage_barrier();
          }));
  all.add("barrier first", with([](auto& b, Ref x) {
            b.workgroup_barrier();
            x = 1u;
          }));
}

TEST(Fingerprint, AtomicsCount) {
  Differing all;
  const auto with = [](std::function<void(ProgramBuilder&, Ref)> write) {
    return [write](ProgramBuilder& b) { write(b, b.storage("x", b.atomic(b.u32))); };
  };
  all.add("add", with([](auto&, Ref x) { x.atomic_add(1u); }));
  all.add("sub", with([](auto&, Ref x) { x.atomic_sub(1u); }));
  all.add("store", with([](auto&, Ref x) { x.atomic_store(1u); }));
  all.add("exchange", with([](auto&, Ref x) { x.atomic_exchange(1u); }));
  all.add("acquire", with([](auto&, Ref x) { x.atomic_add(1u, Order::acquire); }));
  all.add("sequential", with([](auto&, Ref x) { x.atomic_add(1u, Order::sequential); }));
  all.add("compare", with([](auto&, Ref x) { x.atomic_compare_exchange(1u, 2u); }));
  all.add("compare, swapped", with([](auto&, Ref x) { x.atomic_compare_exchange(2u, 1u); }));
  Program scoped =
      program_of([](ProgramBuilder& b) { b.storage("x", b.atomic(b.u32)).atomic_add(1u); });
  for (Stmt& s : scoped.stmts) {
    if (auto* atomic = std::get_if<AtomicStmt>(&s.node)) atomic->scope = Scope::workgroup;
  }
  all.add("scope", fingerprint(scoped));
}

TEST(Fingerprint, CallsAndParametersCount) {
  Differing all;
  const auto with = [](std::function<void(ProgramBuilder&, Ref)> write) {
    return [write](ProgramBuilder& b) { write(b, b.storage("x", b.u32)); };
  };
  const auto difference = [](ProgramBuilder& b, bool swapped) {
    return b.function("d", b.u32, {{"p", b.u32}, {"q", b.u32}},
                      [&](auto a) { b.return_(swapped ? a[1] - a[0] : a[0] - a[1]); });
  };
  all.add("p - q", with([&](auto& b, Ref x) { x = b.call(difference(b, false), {x, 1u}); }));
  all.add("q - p", with([&](auto& b, Ref x) { x = b.call(difference(b, true), {x, 1u}); }));
  all.add("swapped arguments",
          with([&](auto& b, Ref x) { x = b.call(difference(b, false), {1u, x}); }));
  all.add("result not used", with([&](auto& b, Ref x) {
            b.call(difference(b, false), {x, 1u});
            x = 1u;
          }));
}

TEST(Fingerprint, ListsDoNotRunIntoEachOther) {
  Differing all;
  // The same stores, divided differently between blocks.
  for (int split = 0; split <= 4; ++split) {
    for (int second = split; second <= 4; ++second) {
      all.add(std::to_string(split) + "/" + std::to_string(second), [&](ProgramBuilder& b) {
        Ref x = b.storage("x", b.u32);
        Value c = b.let("c", x == 9u);
        const auto stores = [&](int from, int to) {
          for (int i = from; i < to; ++i) x = b.constant(b.u32, i);
        };
        b.if_(c, [&] { stores(0, split); }, [&] { stores(split, second); });
        stores(second, 4);
      });
    }
  }
}

TEST(Fingerprint, ContractionCounts) {
  Program program = program_of([](ProgramBuilder& b) {
    Ref x = b.storage("x", b.f32);
    x = x * x + x;
  });
  const Digest before = fingerprint(program);
  contract_multiply_add(program);
  EXPECT_NE(fingerprint(program), before);
}

TEST(Fingerprint, OverrideSizedArraysAreKnownByTheirExpression) {
  const auto with = [](int factor, bool other_first) {
    return of([&](ProgramBuilder& b) {
      Value n = b.override_("n", b.u32, 4);
      if (other_first) b.array(b.u32, n * 7u);
      Ref tile = b.workgroup("tile", b.array(b.f32, n * factor));
      tile[0u] = 1.0F;
    });
  };
  EXPECT_EQ(with(2, false), with(2, true));
  EXPECT_NE(with(2, false), with(3, false));
}

}  // namespace
}  // namespace vyre
