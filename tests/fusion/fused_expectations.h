// What tests say of groups of stages: that they are fused with equal results, or refused by name.
#pragma once

#include <gtest/gtest.h>

#include "staged.h"
#include "vyre/ir/print.h"

namespace vyre {

inline void expect_fused(const Staged& s, const FusionLimits& limits = {}) {
  const auto fused = s.fuse(limits);
  ASSERT_TRUE(fused) << s.describe(fused.error()) << "\n" << s.text();
  EXPECT_EQ(s.compare(*fused), "");
  for (const RunKernel& run : runs_on_devices()) {
    EXPECT_EQ(s.compare(*fused, run), "");
    EXPECT_EQ(s.compare_stages(run), "");
  }
}

inline void expect_refused(const Staged& s, RefusalReason reason, const FusionLimits& limits = {}) {
  const auto fused = s.fuse(limits);
  ASSERT_FALSE(fused) << print(*fused->kernel.program);
  EXPECT_EQ(to_string(fused.error().reason), to_string(reason)) << s.describe(fused.error());
  EXPECT_NE(s.describe(fused.error()), "");
}

}  // namespace vyre
