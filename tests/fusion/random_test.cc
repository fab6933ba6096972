// Random chains of kernels: fused and separate, the same bits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "random_stages.h"

namespace vyre {
namespace {

TEST(RandomFusion, FusedChainsGiveTheSameBits) {
  const char* const chosen = std::getenv("VYRE_FUSION_SEED");
  const std::uint64_t first = chosen != nullptr ? std::strtoull(chosen, nullptr, 10) : 1;
  const char* const number = std::getenv("VYRE_FUSION_CHAINS");
  const std::uint64_t count = number != nullptr ? std::strtoull(number, nullptr, 10) : 3000;
  std::map<std::string, int> seen;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Staged chain = random_stages(seed);
    if (HasFatalFailure()) FAIL() << "seed " << seed;
    const auto fused = chain.fuse({.recomputed_operations = 1e9});
    if (!fused) {
      ASSERT_NE(fused.error().reason, RefusalReason::not_expressible)
          << "seed " << seed << "\n"
          << fused.error().detail << "\n"
          << chain.text();
      ++seen[std::string(to_string(fused.error().reason))];
      continue;
    }
    ++seen["fused"];
    if (chain.text().contains("enable subgroups")) ++seen["fused with subgroups"];
    if (chain.text().contains("workgroupBarrier")) ++seen["fused with barriers"];
    for (const BufferFate fate : fused->fates) ++seen["buffer: " + std::string(to_string(fate))];
    ASSERT_EQ(chain.compare(*fused), "") << "seed " << seed;
  }
  std::string text;
  for (const auto& [what, times] : seen) text += fmt::format("{}: {}\n", what, times);
  RecordProperty("seen", text);
  if (chosen != nullptr) fmt::print("{}", text);
  if (count < 1000) return;
  for (const char* what :
       {"fused", "fused with subgroups", "fused with barriers", "buffer: dropped",
        "buffer: registers", "buffer: recomputed", "key_not_injective", "other_element_read",
        "neighbour_overwritten", "extents_differ"}) {
    EXPECT_GT(seen[what], 0) << text;
  }
  EXPECT_GT(seen["fused"], static_cast<int>(count / 5)) << text;
}

}  // namespace
}  // namespace vyre
