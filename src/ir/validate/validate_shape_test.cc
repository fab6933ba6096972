#include <random>

#include "vyre/ir/print.h"
#include "vyre/ir/validate/validate_testing.h"

namespace vyre {
namespace {

TEST_F(Validate, AnEmptyProgramIsFine) { expect_valid(); }

TEST_F(Validate, AProgramWithoutFunctionsIsNot) {
  Program none;
  EXPECT_EQ(validate(none).size(), 1U);
}

TEST_F(Validate, UnknownIdsAreReported) {
  writer.stmt(StoreStmt{ExprId{999}, constant(1.0F)});
  expect_issue("unknown expression 999");
}

TEST_F(Validate, UnknownOperandsAreReported) {
  keep(u32, UnaryExpr{UnaryOp::bit_not, ExprId{12345}});
  expect_issue("unknown expression 12345");
}

TEST_F(Validate, UnknownTypesAreReported) {
  keep(TypeId{777}, ZeroExpr{});
  EXPECT_EQ(issues().size(), 2U);  // the local and the expression
}

TEST_F(Validate, UnknownDeclarationsAreReported) {
  keep(f32, ConstantExpr{ConstantId{50}});
  keep(f32, OverrideExpr{OverrideId{50}});
  keep(f32, GlobalPtrExpr{GlobalId{50}});
  writer.stmt(CallStmt{FunctionId{50}, {}, kNoLocal});
  EXPECT_EQ(issues().size(), 3U);  // the call is looked at when expressions are sound
}

TEST_F(Validate, UnknownFunctionsAreReported) {
  writer.stmt(CallStmt{FunctionId{50}, {}, kNoLocal});
  expect_issue("unknown function 50");
}

TEST_F(Validate, UnknownLocalsAreReported) {
  keep(f32, LocalExpr{LocalId{50}});
  expect_issue("unknown local 50");
}

TEST_F(Validate, ListsBlocksAndCasesMustBeInside) {
  keep(vec3, ConstructExpr{{4000, 3}});
  expect_issue("beyond the end");
}

TEST_F(Validate, ListsThatWrapAroundAreOutside) {
  keep(vec3, ConstructExpr{{0xFFFFFFFF, 3}});
  expect_issue("beyond the end");
}

TEST_F(Validate, BlocksOutsideAreReported) {
  writer.stmt(IfStmt{constant(true), {90, 2}, {}});
  expect_issue("a block reaches beyond");
}

TEST_F(Validate, CasesOutsideAreReported) {
  writer.stmt(SwitchStmt{constant(1U), 5, 2});
  expect_issue("cases beyond the end");
}

TEST_F(Validate, ExpressionsMustNotContainThemselves) {
  const ExprId id = writer.expr(u32, UnaryExpr{UnaryOp::bit_not, kNoExpr});
  const ExprId outer = writer.expr(u32, UnaryExpr{UnaryOp::bit_not, id});
  program[id].node = UnaryExpr{UnaryOp::bit_not, outer};
  expect_issue("an expression contains itself");
}

TEST_F(Validate, AnExpressionThatIsItsOwnOperand) {
  const ExprId id = writer.expr(u32, UnaryExpr{UnaryOp::bit_not, kNoExpr});
  program[id].node = UnaryExpr{UnaryOp::bit_not, id};
  expect_issue("an expression contains itself");
}

TEST_F(Validate, DeepExpressionsAreRefused) {
  ExprId value = constant(1U);
  for (int i = 0; i < 200000; ++i) value = writer.expr(u32, UnaryExpr{UnaryOp::bit_not, value});
  expect_issue("nested more than");
}

TEST_F(Validate, SharedExpressionsAreBounded) {
  ExprId value = constant(1U);
  for (int i = 0; i < 60; ++i) {
    value = writer.expr(u32, BinaryExpr{BinaryOp::add, value, value});
  }
  expect_issue("operations");
}

TEST_F(Validate, StatementsMustFormTrees) {
  writer.open();
  const StmtId inner = writer.stmt(LetStmt{local(LocalKind::let, u32), constant(1U)});
  const Block block = writer.close();
  writer.stmt(IfStmt{constant(true), block, block});
  (void)inner;
  expect_issue("stands in two places");
}

TEST_F(Validate, AStatementInsideItself) {
  const StmtId id = writer.stmt(IfStmt{constant(true), {}, {}});
  main().body = writer.close();
  closed = true;
  program[id].node = IfStmt{constant(true), main().body, {}};
  expect_issue("stands in two places");
}

TEST_F(Validate, DeepStatementsAreRefused) {
  Block block{};
  for (int i = 0; i < 5000; ++i) {
    writer.open();
    writer.stmt(IfStmt{constant(true), block, {}});
    block = writer.close();
  }
  writer.stmt(IfStmt{constant(true), block, {}});
  expect_issue("statements are nested more than");
}

TEST_F(Validate, RecursionIsRefused) {
  writer.stmt(CallStmt{FunctionId{0}, {}, kNoLocal});
  expect_issue("the entry 'main' is called");
}

TEST_F(Validate, CalleesComeBeforeCallers) {
  Function other = main();
  other.name = "helper";
  program.functions.insert(program.functions.begin(), 2, other);
  program.entry = FunctionId{2};
  writer.open();
  writer.stmt(CallStmt{FunctionId{1}, {}, kNoLocal});
  program.functions[0].body = writer.close();
  writer.open();
  writer.stmt(CallStmt{FunctionId{1}, {}, kNoLocal});
  program.functions[1].body = writer.close();
  const auto found = issues();
  ASSERT_EQ(found.size(), 2U) << testing::PrintToString(found);
  EXPECT_NE(found[0].find("comes after it"), std::string::npos);
  EXPECT_NE(found[1].find("calls itself"), std::string::npos);
}

TEST_F(Validate, LongChainsOfCallsAreRefused) {
  for (std::uint32_t i = 0; i < 300; ++i) {
    Function f;
    f.name = "f" + std::to_string(i);
    f.result = program.types.void_type();
    writer.open();
    if (i > 0) writer.stmt(CallStmt{static_cast<FunctionId>(i - 1), {}, kNoLocal});
    f.body = writer.close();
    program.functions.insert(program.functions.end() - 1, f);
  }
  program.entry = static_cast<FunctionId>(program.functions.size() - 1);
  expect_issue("nested more than 256 deep");
}

TEST_F(Validate, NestingIsCountedThroughCalls) {
  // Each function calls the one before it from within 100 blocks.
  for (std::uint32_t i = 0; i < 45; ++i) {
    Function f;
    f.name = "f" + std::to_string(i);
    f.result = program.types.void_type();
    for (int level = 0; level < 100; ++level) {
      writer.open();
      if (level > 0) {
        writer.stmt(IfStmt{constant(true), f.body, {}});
      } else if (i > 0) {
        writer.stmt(CallStmt{static_cast<FunctionId>(i - 1), {}, kNoLocal});
      }
      f.body = writer.close();
    }
    program.functions.insert(program.functions.end() - 1, f);
    program.entry = static_cast<FunctionId>(program.functions.size() - 1);
    if (i == 39) {
      EXPECT_EQ(issues(), std::vector<std::string>{});
    }
  }
  expect_issue("statements of 'f40' and of what it calls are nested more than 4096 deep");
}

TEST_F(Validate, GarbageIsReportedAndCanBePrinted) {
  // Random statements and expressions with random ids: nothing may crash.
  std::mt19937 random(7);
  const auto pick = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int round = 0; round < 500; ++round) {
    Program p;
    Writer w(p);
    p.types.scalar(ScalarKind::f32);
    p.types.vector(ScalarKind::u32, 3);
    p.types.structure("S", {{"a", p.types.scalar(ScalarKind::f32)}});
    p.types.pointer(MemoryKind::function, p.types.scalar(ScalarKind::u32), Access::read_write);
    const auto expr = [&] { return static_cast<ExprId>(pick(14)); };
    const auto type = [&] { return static_cast<TypeId>(pick(9)); };
    const auto local_id = [&] { return static_cast<LocalId>(pick(4)); };
    const auto block = [&] { return Block{pick(10), pick(4)}; };
    for (int i = 0; i < 12; ++i) {
      const ExprNode nodes[] = {
          ConstantExpr{static_cast<ConstantId>(pick(2))},
          ZeroExpr{},
          LocalExpr{local_id()},
          GlobalPtrExpr{static_cast<GlobalId>(pick(2))},
          LocalPtrExpr{local_id()},
          MemberExpr{expr(), pick(3)},
          IndexExpr{expr(), expr()},
          LoadExpr{expr()},
          SwizzleExpr{expr(), static_cast<std::uint8_t>(pick(6)), {1, 9, 0, 3}},
          ConstructExpr{{pick(4), pick(4)}},
          SplatExpr{expr()},
          UnaryExpr{static_cast<UnaryOp>(pick(4)), expr()},
          BinaryExpr{static_cast<BinaryOp>(pick(19)), expr(), expr()},
          SelectExpr{expr(), expr(), expr()},
          ConvertExpr{expr()},
          BitcastExpr{expr()},
          MathExpr{static_cast<MathFn>(pick(80)), {pick(4), pick(4)}},
          ArrayLengthExpr{expr()},
          InvocationIdExpr{static_cast<InvocationIdKind>(pick(6))}};
      w.expr(type(), nodes[pick(std::size(nodes))]);
    }
    for (int i = 0; i < 5; ++i) p.expr_lists.push_back(expr());
    p.constants.push_back({type(), {pick(3)}});
    p.globals.push_back({.name = "g",
                         .memory = static_cast<MemoryKind>(pick(5)),
                         .access = static_cast<Access>(pick(3)),
                         .type = type()});
    p.switch_cases.push_back({{1}, pick(2) == 0, block()});
    w.open();
    for (int i = 0; i < 8; ++i) {
      const StmtNode nodes[] = {
          LetStmt{local_id(), expr()},
          VarStmt{local_id(), expr()},
          StoreStmt{expr(), expr()},
          IfStmt{expr(), block(), block()},
          LoopStmt{block(), block(), pick(2) == 0 ? kNoExpr : expr()},
          SwitchStmt{expr(), pick(2), pick(2)},
          BreakStmt{},
          ContinueStmt{},
          ReturnStmt{expr()},
          BarrierStmt{true, false},
          UniformLoadStmt{local_id(), expr()},
          CallStmt{static_cast<FunctionId>(pick(3)), {pick(4), pick(3)}, local_id()}};
      w.stmt(nodes[pick(std::size(nodes))]);
    }
    const Block body = w.close();
    for (std::uint32_t i = 0; i < 2; ++i) {
      Function f;
      f.name = "f";
      f.result = type();
      f.parameters = pick(3);
      for (std::uint32_t n = pick(4); n > 0; --n) {
        f.locals.push_back({"l", static_cast<LocalKind>(pick(3)), type()});
      }
      f.body = pick(3) == 0 ? block() : (i == 0 ? Block{body.first, 3} : Block{body.first + 3, 5});
      p.functions.push_back(f);
    }
    p.entry = static_cast<FunctionId>(pick(3));
    validate(p);
    EXPECT_FALSE(print(p).empty());
  }
}

}  // namespace
}  // namespace vyre
