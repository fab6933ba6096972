#include "vyre/ir/validate/validate_testing.h"

namespace vyre {
namespace {

TEST_F(Validate, ReadOnlyMemoryIsNotWritten) {
  writer.stmt(StoreStmt{element(1, constant(0U)), constant(1U)});
  expect_issue("a store to memory that can only be read (fixed)");
}

TEST_F(Validate, StoresMatchTheirPlace) {
  writer.stmt(StoreStmt{element(0, constant(0U)), constant(1U)});
  writer.stmt(StoreStmt{constant(1U), constant(1U)});
  writer.stmt(StoreStmt{global(3), constant(1U)});
  EXPECT_EQ(issues().size(), 3U) << testing::PrintToString(issues());
}

TEST_F(Validate, AtomicsAndRunTimeArraysAreNotLoaded) {
  keep(program.types.atomic(ScalarKind::u32), LoadExpr{global(3)});
  const auto found = issues();
  ASSERT_EQ(found.size(), 2U) << testing::PrintToString(found);  // the local cannot be either
}

TEST_F(Validate, AtomicOperationsNeedAtomicsAndOperands) {
  const auto atomic = [&](AtomicOp op, ExprId pointer, ExprId compare, ExprId value) {
    writer.stmt(AtomicStmt{.op = op,
                           .scope = Scope::device,
                           .order = Order::relaxed,
                           .pointer = pointer,
                           .compare = compare,
                           .value = value});
  };
  atomic(AtomicOp::add, global(3), kNoExpr, constant(1U));  // fine
  atomic(AtomicOp::add, element(0, constant(0U)), kNoExpr, constant(1U));
  atomic(AtomicOp::add, global(3), kNoExpr, kNoExpr);
  atomic(AtomicOp::load, global(3), kNoExpr, constant(1U));
  atomic(AtomicOp::add, global(3), constant(1U), constant(1U));
  atomic(AtomicOp::add, global(3), kNoExpr, constant(1.0F));
  atomic(AtomicOp::compare_exchange, global(3), kNoExpr, constant(1U));
  EXPECT_EQ(issues().size(), 6U) << testing::PrintToString(issues());
}

TEST_F(Validate, ResultsOfAtomicsHaveTheirType) {
  const auto result = [&](AtomicOp op, TypeId type) {
    AtomicStmt s{.op = op,
                 .scope = Scope::device,
                 .order = Order::relaxed,
                 .pointer = global(3),
                 .value = op == AtomicOp::load ? kNoExpr : constant(1U),
                 .result = local(LocalKind::let, type)};
    if (op == AtomicOp::compare_exchange) s.compare = constant(2U);
    writer.stmt(s);
  };
  result(AtomicOp::load, u32);  // fine
  result(AtomicOp::load, i32);
  result(AtomicOp::store, u32);
  result(AtomicOp::compare_exchange, u32);
  result(AtomicOp::compare_exchange,
         program.types.structure("R", {{"old", u32}, {"exchanged", boolean}}));  // fine
  EXPECT_EQ(issues().size(), 3U) << testing::PrintToString(issues());
}

TEST_F(Validate, UniformLoadsReadWorkgroupMemory) {
  writer.stmt(UniformLoadStmt{local(LocalKind::let, f32), element(2, constant(0U))});  // fine
  writer.stmt(UniformLoadStmt{local(LocalKind::let, f32), element(0, constant(0U))});
  writer.stmt(UniformLoadStmt{local(LocalKind::let, u32), element(2, constant(0U))});
  EXPECT_EQ(issues().size(), 2U) << testing::PrintToString(issues());
}

TEST_F(Validate, JumpsHaveSomewhereToGo) {
  writer.stmt(BreakStmt{});
  writer.stmt(ContinueStmt{});
  writer.open();
  writer.stmt(ContinueStmt{});
  const Block body = writer.close();
  program.switch_cases.push_back({{}, true, body});
  writer.stmt(SwitchStmt{constant(1U), 0, 1});
  EXPECT_EQ(issues().size(), 3U) << testing::PrintToString(issues());
}

TEST_F(Validate, NothingLeavesAContinuingPart) {
  const auto loop_with = [&](StmtNode node) {
    writer.open();
    writer.stmt(node);
    const Block continuing = writer.close();
    writer.open();
    writer.stmt(BreakStmt{});
    const Block body = writer.close();
    writer.stmt(LoopStmt{body, continuing, kNoExpr});
  };
  loop_with(BreakStmt{});
  loop_with(ContinueStmt{});
  loop_with(ReturnStmt{});
  EXPECT_EQ(issues().size(), 3U) << testing::PrintToString(issues());
}

TEST_F(Validate, ContinuingSeesWhatTheBodyHasDeclaredForSure) {
  const LocalId early = local(LocalKind::let, boolean, "early");
  const LocalId late = local(LocalKind::let, boolean, "late");
  writer.open();
  writer.stmt(LetStmt{early, constant(true)});
  writer.open();
  writer.stmt(ContinueStmt{});
  const Block jump = writer.close();
  writer.stmt(IfStmt{constant(true), jump, {}});
  writer.stmt(LetStmt{late, constant(true)});
  const Block body = writer.close();
  writer.open();
  writer.stmt(IfStmt{writer.expr(boolean, LocalExpr{early}), {}, {}});
  writer.stmt(IfStmt{writer.expr(boolean, LocalExpr{late}), {}, {}});
  const Block continuing = writer.close();
  writer.stmt(LoopStmt{body, continuing, constant(true)});
  expect_issue("'late' is used where it is not defined");
}

TEST_F(Validate, SwitchesHaveOneDefaultAndDistinctCases) {
  program.switch_cases.push_back({{1, 2}, false, {}});
  program.switch_cases.push_back({{2}, false, {}});
  writer.stmt(SwitchStmt{constant(1U), 0, 2});
  writer.stmt(SwitchStmt{constant(1.0F), 0, 1});
  EXPECT_EQ(issues().size(), 4U) << testing::PrintToString(issues());
}

TEST_F(Validate, ConditionsAreBool) {
  writer.stmt(IfStmt{constant(1U), {}, {}});
  writer.stmt(LoopStmt{{}, {}, constant(1U)});
  EXPECT_EQ(issues().size(), 2U) << testing::PrintToString(issues());
}

TEST_F(Validate, LocalsAreDefinedOnceAndBeforeUse) {
  const LocalId v = local(LocalKind::let, u32);
  writer.stmt(StoreStmt{element(0, writer.expr(u32, LocalExpr{v})), constant(1.0F)});
  writer.stmt(LetStmt{v, constant(1U)});
  writer.stmt(LetStmt{v, constant(2U)});
  writer.stmt(VarStmt{v, kNoExpr});
  EXPECT_EQ(issues().size(), 4U) << testing::PrintToString(issues());
}

TEST_F(Validate, LocalsEndWithTheirBlock) {
  const LocalId v = local(LocalKind::let, u32);
  writer.open();
  writer.stmt(LetStmt{v, constant(1U)});
  const Block inner = writer.close();
  writer.stmt(IfStmt{constant(true), inner, {}});
  writer.stmt(StoreStmt{element(0, writer.expr(u32, LocalExpr{v})), constant(1.0F)});
  expect_issue("'v' is used where it is not defined");
}

TEST_F(Validate, FunctionsReturnWhatTheySay) {
  Function f;
  f.name = "f";
  f.result = u32;
  writer.open();
  writer.stmt(ReturnStmt{});
  const Block no_value = writer.close();
  writer.open();
  writer.stmt(ReturnStmt{constant(1.0F)});
  const Block wrong = writer.close();
  writer.open();
  writer.stmt(IfStmt{constant(true), no_value, wrong});
  f.body = writer.close();
  Function g = f;
  g.name = "g";
  writer.open();
  writer.open();
  writer.stmt(ReturnStmt{constant(1U)});
  const Block right = writer.close();
  writer.stmt(IfStmt{constant(true), right, {}});
  g.body = writer.close();
  program.functions.insert(program.functions.begin(), {f, g});
  program.entry = FunctionId{2};
  writer.stmt(ReturnStmt{constant(1U)});
  EXPECT_EQ(issues().size(), 4U) << testing::PrintToString(issues());
}

TEST_F(Validate, CallsMatchTheirFunction) {
  Function f;
  f.name = "f";
  f.result = u32;
  f.parameters = 1;
  f.locals.push_back({"p", LocalKind::parameter, u32});
  writer.open();
  writer.stmt(ReturnStmt{constant(1U)});
  f.body = writer.close();
  program.functions.insert(program.functions.begin(), f);
  program.entry = FunctionId{1};
  const auto call = [&](std::vector<ExprId> arguments, LocalId result) {
    writer.stmt(CallStmt{FunctionId{0}, writer.list(arguments), result});
  };
  call({constant(1U)}, local(LocalKind::let, u32));  // fine
  call({constant(1U)}, kNoLocal);                    // fine
  call({}, kNoLocal);
  call({constant(1.0F)}, kNoLocal);
  call({constant(1U)}, local(LocalKind::let, f32));
  EXPECT_EQ(issues().size(), 3U) << testing::PrintToString(issues());
}

TEST_F(Validate, TheEntryTakesAndReturnsNothing) {
  local(LocalKind::parameter, u32);
  main().parameters = 1;
  main().result = u32;
  writer.stmt(ReturnStmt{constant(1U)});
  EXPECT_EQ(issues().size(), 2U) << testing::PrintToString(issues());
}

TEST_F(Validate, LocalsHoldValues) {
  local(LocalKind::var, program.types.atomic(ScalarKind::u32));
  local(LocalKind::let, program.types.runtime_array(f32));
  local(LocalKind::var, program.types.pointer(MemoryKind::function, u32, Access::read_write));
  local(LocalKind::let, program.types.pointer(MemoryKind::function, u32, Access::read_write));
  local(LocalKind::var, program.types.array(f32, 1U << 30U));
  local(LocalKind::parameter, u32);
  EXPECT_EQ(issues().size(), 5U) << testing::PrintToString(issues());
}

TEST_F(Validate, IssuesComeInSourceOrder) {
  writer.pos = {9, 1};
  writer.stmt(BreakStmt{});
  writer.pos = {3, 7};
  writer.stmt(ContinueStmt{});
  writer.pos = {3, 2};
  writer.stmt(BreakStmt{});
  main().body = writer.close();
  closed = true;
  const auto found = validate(program);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].pos, (SourcePos{3, 2}));
  EXPECT_EQ(found[1].pos, (SourcePos{3, 7}));
  EXPECT_EQ(found[2].pos, (SourcePos{9, 1}));
}

}  // namespace
}  // namespace vyre
