#include "vyre/ir/writer.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

TEST(Writer, NestedBlocksAreContiguousRanges) {
  Program program;
  Writer writer(program);
  writer.open();
  const StmtId first = writer.stmt(BreakStmt{});
  writer.open();
  const StmtId inner = writer.stmt(ContinueStmt{});
  const Block nested = writer.close();
  const StmtId last = writer.stmt(LoopStmt{nested, {}, kNoExpr});
  const Block outer = writer.close();
  ASSERT_EQ(outer.count, 2U);
  EXPECT_EQ(program.block(outer)[0], first);
  EXPECT_EQ(program.block(outer)[1], last);
  ASSERT_EQ(nested.count, 1U);
  EXPECT_EQ(program.block(nested)[0], inner);
}

TEST(Writer, PositionsAreGivenToWhatIsAdded) {
  Program program;
  Writer writer(program);
  writer.pos = {3, 4};
  const ExprId value = writer.constant(Scalar::of(5U));
  writer.pos = {5, 6};
  const StmtId stmt = writer.stmt(ReturnStmt{value});
  EXPECT_EQ(program[value].pos, (SourcePos{3, 4}));
  EXPECT_EQ(program[stmt].pos, (SourcePos{5, 6}));
  EXPECT_EQ(program.types.spell(program[value].type), "u32");
  EXPECT_EQ(program.constants[0].scalars, std::vector<std::uint64_t>{5});
}

TEST(Writer, ListsKeepTheirOrder) {
  Program program;
  Writer writer(program);
  const ExprId ids[] = {writer.constant(Scalar::of(1)), writer.constant(Scalar::of(2))};
  writer.list(ids);
  const ExprRange range = writer.list(ids);
  ASSERT_EQ(program.list(range).size(), 2U);
  EXPECT_EQ(program.list(range)[1], ids[1]);
  EXPECT_EQ(range.first, 2U);
}

}  // namespace
}  // namespace vyre
