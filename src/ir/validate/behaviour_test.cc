#include "vyre/ir/validate/behaviour.h"

#include <gtest/gtest.h>

#include "vyre/ir/writer.h"

namespace vyre {
namespace {

class BehaviourTest : public testing::Test {
 protected:
  template <class... Stmts>
  Block block(Stmts... stmts) {
    w.open();
    (w.stmt(stmts), ...);
    return w.close();
  }
  Behaviour of(StmtNode stmt) {
    const Block body = block(stmt);
    return Behaviours(p, body).of(body);
  }
  ExprId yes() { return w.constant(Scalar::of(true)); }

  Program p;
  Writer w{p};
};

TEST_F(BehaviourTest, JumpsGoWhereTheySay) {
  EXPECT_EQ(of(BreakStmt{}), (Behaviour{.breaks = true}));
  EXPECT_EQ(of(ContinueStmt{}), (Behaviour{.continues = true}));
  EXPECT_EQ(of(ReturnStmt{}), (Behaviour{.returns = true}));
  EXPECT_TRUE(of(BarrierStmt{true, false}).is_next_only());
  EXPECT_TRUE(Behaviours(p, Block{}).of(Block{}).is_next_only());
}

TEST_F(BehaviourTest, WhatFollowsAJumpDoesNotCount) {
  const Block body = block(ReturnStmt{}, BreakStmt{});
  EXPECT_EQ(Behaviours(p, body).of(body), (Behaviour{.returns = true}));
}

TEST_F(BehaviourTest, AnIfHasBothSides) {
  const Block jump = block(ReturnStmt{});
  EXPECT_EQ(of(IfStmt{yes(), jump, {}}), (Behaviour{.next = true, .returns = true}));
  const Block other = block(BreakStmt{});
  const Block again = block(ReturnStmt{});
  EXPECT_EQ(of(IfStmt{yes(), again, other}), (Behaviour{.breaks = true, .returns = true}));
}

TEST_F(BehaviourTest, ALoopIsLeftByBreaksAndReturns) {
  EXPECT_TRUE(of(LoopStmt{block(BreakStmt{}), {}, kNoExpr}).is_next_only());
  EXPECT_EQ(of(LoopStmt{block(ReturnStmt{}), {}, kNoExpr}), (Behaviour{.returns = true}));
  EXPECT_EQ(of(LoopStmt{block(ContinueStmt{}), {}, kNoExpr}), Behaviour{});
  EXPECT_TRUE(of(LoopStmt{{}, {}, yes()}).is_next_only());
}

TEST_F(BehaviourTest, ASwitchKeepsBreaksToItself) {
  p.switch_cases.push_back({{1}, false, block(ReturnStmt{})});
  p.switch_cases.push_back({{}, true, block(BreakStmt{})});
  EXPECT_EQ(of(SwitchStmt{w.constant(Scalar::of(1U)), 0, 2}),
            (Behaviour{.next = true, .returns = true}));
  EXPECT_EQ(of(SwitchStmt{w.constant(Scalar::of(1U)), 0, 1}), (Behaviour{.returns = true}));
}

}  // namespace
}  // namespace vyre
