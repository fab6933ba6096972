#include "vyre/cli/table.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

TEST(Table, ColumnsAreAsWideAsTheirWidestCell) {
  Table table({"name", "bytes", "note"}, {1});
  table.add({"x", "4096", ""});
  table.add({"größe", "8", "b"});
  std::string text;
  Output out(text);
  table.print(out, "  ");
  EXPECT_EQ(text,
            "  name   bytes  note\n"
            "  x       4096\n"
            "  größe      8  b\n");
}

TEST(Table, HeadingIsFaintWhereThereIsColour) {
  std::string text;
  Output out(text);
  out.colour = true;
  Table({"a"}).print(out);
  EXPECT_EQ(text, "\x1b[2ma\x1b[0m\n");
}

}  // namespace
}  // namespace vyre
