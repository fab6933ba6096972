// Random chains of kernels: fused and separate, the same bits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <map>

#include "random_rows.h"
#include "random_stages.h"

namespace vyre {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// What became of the chains, and of their buffers.
using Seen = std::map<std::string, int>;
std::string to_text(const Seen& seen) {
  std::string text;
  for (const auto& [what, times] : seen) text += fmt::format("{}: {}\n", what, times);
  return text;
}

void run_chains(std::uint64_t count, const std::function<Staged(std::uint64_t)>& make, Seen& seen) {
  const std::uint64_t first = number_from("VYRE_FUSION_SEED", 1);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Staged chain = make(seed);
    if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
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
  testing::Test::RecordProperty("seen", to_text(seen));
  if (std::getenv("VYRE_FUSION_SEED") != nullptr) fmt::print("{}", to_text(seen));
}

TEST(RandomFusion, FusedChainsGiveTheSameBits) {
  const std::uint64_t count = number_from("VYRE_FUSION_CHAINS", 3000);
  Seen seen;
  run_chains(count, [](std::uint64_t seed) { return random_stages(seed); }, seen);
  if (HasFatalFailure() || count < 1000) return;
  for (const char* what :
       {"fused", "fused with subgroups", "fused with barriers", "buffer: dropped",
        "buffer: registers", "buffer: recomputed", "key_not_injective", "other_element_read",
        "neighbour_overwritten", "extents_differ"}) {
    EXPECT_GT(seen[what], 0) << to_text(seen);
  }
  EXPECT_GT(seen["fused"], static_cast<int>(count / 5)) << to_text(seen);
}

TEST(RandomFusion, FusedLoopsAlongRowsGiveTheSameBits) {
  const std::uint64_t count = number_from("VYRE_FUSION_CHAINS", 3000);
  Seen seen;
  run_chains(count, random_rows, seen);
  if (HasFatalFailure() || count < 1000) return;
  EXPECT_GT(seen["fused"], static_cast<int>(count / 5)) << to_text(seen);
  EXPECT_GT(seen["buffer: dropped"], static_cast<int>(count / 30)) << to_text(seen);
}

}  // namespace
}  // namespace vyre
