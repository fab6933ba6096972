#include "vyre/cli/graph/included_program.h"

#include <gtest/gtest.h>

#include <limits>

#include "vyre/frontier/reference.h"

namespace vyre {
namespace {

using Numbers = std::vector<std::uint32_t>;

// 0 - 1 - 2 - 0 with 3 hanging on 2, and 4 alone.
GraphData graph() {
  return {{0, 2, 4, 7, 8, 8}, {1, 2, 0, 2, 0, 1, 3, 2}, {1, 5, 1, 2, 5, 2, 9, 9}};
}

template <class T>
ProgramRun run_of(const GraphData& on, const std::vector<T>& result, const Numbers& first,
                  std::uint32_t rounds = 3) {
  return {on, first, {}, rounds, std::as_bytes(std::span(result))};
}

std::string error_of(std::string_view program, const ProgramRun& run) {
  const auto same = included_program(program)->verify(run);
  return same ? "" : describe(same.error());
}

TEST(IncludedProgram, VerifiesASearch) {
  const GraphData on = graph();
  const Numbers first{0};
  const Numbers right{0, 1, 1, 2, 0xffffffff};
  EXPECT_EQ(error_of("bfs", run_of(on, right, first)), "");
  const Numbers wrong{0, 1, 1, 3, 7};
  EXPECT_EQ(error_of("bfs", run_of(on, wrong, first)),
            "verification: the depth of 2 of 5 vertices differs from that of a serial algorithm; "
            "first vertex 3: 3 instead of 2");
  const Numbers unreached{0, 0xffffffff, 1, 2, 0xffffffff};
  EXPECT_NE(error_of("bfs", run_of(on, unreached, first)).find("vertex 1: unreached instead of 1"),
            std::string::npos);
  EXPECT_EQ(error_of("bfs", run_of(on, Numbers{0}, first)),
            "verification: 1 values for 5 vertices");
  EXPECT_EQ(included_program("bfs")->summary(run_of(on, right, first)),
            "reached 4 of 5 vertices, the farthest after 2 edges");
  EXPECT_EQ(included_program("bfs")->edges(run_of(on, right, first)), 8U);
}

TEST(IncludedProgram, VerifiesPathsAndTheirLimit) {
  GraphData on = graph();
  const Numbers first{0};
  EXPECT_EQ(error_of("sssp", run_of(on, Numbers{0, 1, 3, 12, 0xffffffff}, first)), "");
  EXPECT_NE(error_of("sssp", run_of(on, Numbers{0, 1, 5, 12, 0xffffffff}, first)), "");
  on.weights.assign(on.columns.size(), 0xfffffff0);
  EXPECT_EQ(error_of("sssp",
                     run_of(on, Numbers{0, 0xfffffff0, 0xfffffff0, 0xfffffffe, 0xffffffff}, first)),
            "");
}

TEST(IncludedProgram, VerifiesComponentsCoresAndRanks) {
  const GraphData on = graph();
  EXPECT_EQ(error_of("components", run_of(on, Numbers{0, 0, 0, 0, 4}, {})), "");
  EXPECT_NE(error_of("components", run_of(on, Numbers{0, 0, 0, 0, 0}, {})), "");
  EXPECT_EQ(included_program("components")->summary(run_of(on, Numbers{0, 0, 0, 0, 4}, {})),
            "2 components, the largest of 4 vertices");

  const Numbers inside{1, 1, 1, 0, 0};
  ProgramRun cores = run_of(on, inside, {});
  EXPECT_NE(error_of("kcore", cores), "");  // of three edges, unless it is said otherwise
  const std::vector<Setting> two{{"k", 2}};
  cores.settings = two;
  EXPECT_EQ(error_of("kcore", cores), "");
  EXPECT_EQ(included_program("kcore")->summary(cores), "the 2-core has 3 vertices");

  std::vector<float> ranks;
  for (const double rank : reference_pagerank(on, 3)) ranks.push_back(static_cast<float>(rank));
  EXPECT_EQ(error_of("pagerank", run_of(on, ranks, {})), "");
  EXPECT_NE(error_of("pagerank", run_of(on, ranks, {}, 4)), "");
  ranks[2] *= 1.001F;
  EXPECT_NE(error_of("pagerank", run_of(on, ranks, {})).find("the rank of vertex 2 is "),
            std::string::npos);
  ranks[2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(error_of("pagerank", run_of(on, ranks, {})), "");
}

TEST(IncludedProgram, HasItsTextAndItsName) {
  EXPECT_EQ(included_names(), "bfs, sssp, components, pagerank and kcore");
  EXPECT_EQ(nearest_included("pagerang"), "pagerank");
  EXPECT_FALSE(included_program("dfs"));
  for (const char* name : {"bfs", "sssp", "components", "pagerank", "kcore"}) {
    const auto program = included_program(name);
    ASSERT_TRUE(program);
    EXPECT_NE(program->text.find(std::string("> ") + std::string(program->result) + ": array<"),
              std::string_view::npos)
        << name;
  }
}

}  // namespace
}  // namespace vyre
