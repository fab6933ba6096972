#include "vyre/ir/access/coverage.h"

#include <gtest/gtest.h>

#include "vyre/ir/builder/builder.h"

namespace vyre {
namespace {

// Whether y[index] = 1 with this extent overwrites `elements` elements.
bool overwrites_all(Extent extent, std::uint64_t elements,
                    const std::function<void(ProgramBuilder&, Ref)>& body) {
  ProgramBuilder b("k", {8, 4, 1});
  Ref y = b.storage("y", b.array(b.f32));
  body(b, y);
  Result<Program> program = std::move(b).build();
  EXPECT_TRUE(program) << program.error().what;
  LaunchFacts facts{.extent = extent, .workgroup = program->workgroup, .buffers = {}};
  facts.buffers.push_back({.identity = 0, .bytes = elements * 4, .contents = {}, .written = true});
  return overwrites(*program, facts, GlobalId{0});
}

void rows(ProgramBuilder& b, Ref y) { y[b.global_id().y() * 10U + b.global_id().x()] = 1.0F; }

TEST(Coverage, EveryElementMustBeWritten) {
  EXPECT_TRUE(overwrites_all({10, 7, 1}, 70, rows));
  EXPECT_TRUE(overwrites_all({10, 7, 1}, 65, rows)) << "beyond the end nothing happens";
  EXPECT_FALSE(overwrites_all({10, 7, 1}, 71, rows));
  EXPECT_FALSE(overwrites_all({9, 7, 1}, 70, rows)) << "a column is left out";
  EXPECT_FALSE(overwrites_all({10, 7, 1}, 70, [](ProgramBuilder& b, Ref y) {
    y[b.global_id().y() * 10U + b.global_id().x() + 1U] = 1.0F;
  }));
  EXPECT_FALSE(overwrites_all({70, 1, 1}, 70,
                              [](ProgramBuilder& b, Ref y) { y[b.global_id().x() * 2U] = 1.0F; }));
}

TEST(Coverage, AGuardThatCanFailLeavesElements) {
  const auto guarded = [](std::uint32_t limit) {
    return [limit](ProgramBuilder& b, Ref y) {
      Value i = b.global_id().x();
      b.if_(i >= limit, [&] { b.return_(); });
      y[i] = 1.0F;
    };
  };
  EXPECT_TRUE(overwrites_all({70, 1, 1}, 70, guarded(70)));
  EXPECT_FALSE(overwrites_all({70, 1, 1}, 70, guarded(69)));
}

TEST(Coverage, ABufferThatIsReadIsNotOverwritten) {
  EXPECT_FALSE(overwrites_all({70, 1, 1}, 70, [](ProgramBuilder& b, Ref y) {
    Value i = b.global_id().x();
    y[i] = y[i] + 1.0F;
  }));
}

}  // namespace
}  // namespace vyre
