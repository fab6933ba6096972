#include "vyre/plan/geometry.h"

#include <gtest/gtest.h>

#include <random>

#include "vyre/plan/bindings/grid_inference.h"

namespace vyre {
namespace {

const Limits kLimits{"cuda", 1024, {1024, 1024, 64}, {2147483647, 65535, 65535}};
constexpr Extent kOne{1, 1, 1};

PlanError refused(const Extent& workgroup, const Extent& grid = kOne,
                  const Limits& limits = kLimits) {
  const auto checked = check_geometry(workgroup, grid, limits);
  EXPECT_FALSE(checked);
  return checked ? PlanError{} : checked.error();
}

TEST(Geometry, TestsInTheStatedOrder) {
  EXPECT_EQ(refused({2048, 1, 1}), PlanError(TooManyThreads{"cuda", 2048, 1024}));
  EXPECT_EQ(refused({1, 1, 128}), PlanError(WorkgroupAxisLimit{"cuda", 2, 128, 64}));
  EXPECT_EQ(refused({65536, 65536, 1}), PlanError(WorkgroupProductOverflow{"cuda"}));
  EXPECT_EQ(refused({0, 4096, 1}), PlanError(ZeroDimension{"cuda"}));
  EXPECT_EQ(refused({65536, 65536, 1}, {0, 1, 1}), PlanError(ZeroDimension{"cuda"}));
  EXPECT_EQ(refused({1, 1, 1}, {1, 65536, 65536}),
            PlanError(GridAxisLimit{"cuda", 1, 65536, 65535}));
  EXPECT_TRUE(check_geometry({1024, 1, 1}, {2147483647, 65535, 65535}, kLimits));
}

TEST(Geometry, AZeroGridLimitRefusesEvenOneWorkgroup) {
  Limits limits = kLimits;
  limits.max_grid_dim = {0, 1, 1};
  EXPECT_EQ(refused(kOne, kOne, limits), PlanError(GridAxisLimit{"cuda", 0, 1, 0}));
}

// The quick test and the one that finds the reason are written separately.
TEST(Geometry, ShapesWithinTheLimitsAreThoseWithNothingWrong) {
  std::mt19937 random(8);
  const auto number = [&] { return static_cast<std::uint32_t>(random() >> random() % 33); };
  int within = 0;
  for (int i = 0; i < 50'000; ++i) {
    const auto extent = [&]() -> Extent { return {number(), number(), number()}; };
    const Extent workgroup = extent(), grid = extent();
    const Limits limits{"any", number(), extent(), extent()};
    __extension__ unsigned __int128 threads = 1;
    bool right = true;
    for (int axis = 0; axis < 3; ++axis) {
      threads *= workgroup[axis];
      right = right && workgroup[axis] != 0 && workgroup[axis] <= limits.max_block_dim[axis] &&
              grid[axis] != 0 && grid[axis] <= limits.max_grid_dim[axis];
    }
    right = right && threads <= limits.max_threads_per_block;
    ASSERT_EQ(is_within(workgroup, grid, limits), right);
    ASSERT_EQ(check_geometry(workgroup, grid, limits).has_value(), right);
    within += right;
  }
  EXPECT_GT(within, 50);
}

TEST(Gate, TestsAxesBeforeTheProduct) {
  const BackendLimits limits{"wgpu", {256, 256, 64}, 256, 65535};
  const auto gate = [&](const Extent& declared, const DispatchConfig& config = {}) {
    return check_before_dispatch(declared, config, limits);
  };
  EXPECT_EQ(gate({512, 512, 1}).error(), PlanError(WorkgroupAxisLimit{"wgpu", 0, 512, 256}));
  EXPECT_EQ(gate({256, 256, 1}).error(), PlanError(TooManyThreads{"wgpu", 65536, 256}));
  EXPECT_EQ(gate({0, 512, 1}).error(), PlanError(ZeroDimension{"wgpu"}));
  EXPECT_TRUE(gate({256, 1, 1}));

  DispatchConfig config;
  config.workgroup_override = Extent{64, 1, 1};
  EXPECT_TRUE(gate({512, 1, 1}, config));
  config.grid_override = Extent{1, 65536, 0};
  EXPECT_EQ(gate({512, 1, 1}, config).error(), PlanError(ZeroDimension{"wgpu"}));
  config.grid_override = Extent{1, 65536, 1};
  EXPECT_EQ(gate({512, 1, 1}, config).error(), PlanError(GridAxisLimit{"wgpu", 1, 65536, 65535}));
}

TEST(Gate, ReportsAProductThatOverflows) {
  const BackendLimits limits{"wgpu", {0xffffffff, 0xffffffff, 64}, 256, 65535};
  EXPECT_EQ(check_before_dispatch({65536, 65536, 1}, {}, limits).error(),
            PlanError(WorkgroupProductOverflow{"wgpu"}));
}

TEST(Roots, AreTheSmallestThatReach) {
  std::mt19937 random(3);
  const auto check = [](std::uint32_t value) {
    const std::uint64_t square = ceil_square_root(value), cube = ceil_cube_root(value);
    EXPECT_GE(square * square, value);
    EXPECT_GE(cube * cube * cube, value);
    if (value > 0) {
      EXPECT_LT((square - 1) * (square - 1), value);
      EXPECT_LT((cube - 1) * (cube - 1) * (cube - 1), value);
    }
  };
  for (std::uint32_t value : {0u, 1u, 2u, 3u, 4u, 5u, 8u, 9u, 27u, 28u, 0xfffe0001u, 0xfffe0002u,
                              4291015625u, 4291015626u, 0xffffffffu})
    check(value);
  for (int i = 0; i < 20'000; ++i) check(static_cast<std::uint32_t>(random() >> random() % 32));
}

TEST(GridForCount, ByTheShapeOfTheWorkgroup) {
  EXPECT_EQ(*grid_for_count(1000, {128, 1, 1}), (Extent{8, 1, 1}));
  EXPECT_EQ(*grid_for_count(1000, {16, 8, 1}), (Extent{2, 4, 1}));
  EXPECT_EQ(*grid_for_count(1000, {8, 8, 4}), (Extent{2, 2, 3}));
  EXPECT_EQ(*grid_for_count(1000, {8, 1, 8}), (Extent{2, 10, 2}));
  EXPECT_EQ(*grid_for_count(0, {128, 1, 1}), kOne);
  EXPECT_EQ(grid_for_count(5, {0, 1, 1}).error(), PlanError(ZeroWorkgroup{{0, 1, 1}}));
}

TEST(GridForCount, CoversEveryElement) {
  std::mt19937 random(4);
  for (int i = 0; i < 20'000; ++i) {
    const auto count = static_cast<std::uint32_t>(random() >> random() % 32);
    const auto axis = [&] { return static_cast<std::uint32_t>(1 + random() % 40); };
    const Extent workgroup{axis(), i % 3 > 0 ? axis() : 1, i % 3 > 1 ? axis() : 1};
    const Extent grid = *grid_for_count(count, workgroup);
    __extension__ unsigned __int128 lanes = 1;
    for (int a = 0; a < 3; ++a) lanes *= static_cast<std::uint64_t>(grid[a]) * workgroup[a];
    EXPECT_GE(lanes, count);
  }
}

TEST(GridForCount, HasTheLayersOfACubeAndNoMore) {
  for (std::uint32_t count = 1; count <= 3000; ++count) {
    const std::uint32_t side = ceil_cube_root(count);
    const Extent grid = *grid_for_count(count, {1, 1, 2});
    EXPECT_EQ(grid[0], side);
    EXPECT_EQ(grid[1], side);
    const std::uint32_t layer = side * side;
    EXPECT_GE(grid[2] * 2 * layer, count) << "a layer is missing";
    EXPECT_LT((grid[2] - 1) * 2 * layer, count) << "a layer is empty";
  }
}

TEST(GridForSize, DividesEachAxisUpwards) {
  EXPECT_EQ(grid_covering({100, 50, 1}, {16, 16, 1}), (Extent{7, 4, 1}));
}

BufferDecl output_of(std::uint32_t count) {
  BufferDecl decl;
  decl.name = "out";
  decl.access = BufferAccess::write_only;
  decl.count = count;
  return decl;
}

TEST(InferGrid, TakesTheOverrideUnchecked) {
  DispatchConfig config;
  config.grid_override = Extent{0, 0, 0};
  EXPECT_EQ(*infer_grid({}, {}, {}, config), (Extent{0, 0, 0}));
}

TEST(InferGrid, UsesTheOverriddenWorkgroupAndChecksInputs) {
  ProgramFacts program;
  program.workgroup = {64, 1, 1};
  const std::vector<BufferDecl> buffers{output_of(1000)};
  EXPECT_EQ(*infer_grid(program, buffers, {}, {}), (Extent{16, 1, 1}));
  DispatchConfig config;
  config.workgroup_override = Extent{16, 8, 1};
  EXPECT_EQ(*infer_grid(program, buffers, {}, config), (Extent{2, 4, 1}));
  const InputLength surplus{4, false};
  EXPECT_EQ(infer_grid(program, buffers, {&surplus, 1}, {}).error(),
            PlanError(InputCountMismatch{0, 1}));
}

TEST(AutoGrid, PassesTheGateFirst) {
  ProgramFacts program;
  program.workgroup = {16, 16, 1};
  const std::vector<BufferDecl> buffers{output_of(1000)};
  EXPECT_EQ(*auto_grid(program, buffers, {"wgpu", {256, 256, 64}, 256, 65535}), (Extent{2, 2, 1}));
  EXPECT_EQ(auto_grid(program, buffers, {"wgpu", {256, 8, 64}, 256, 65535}).error(),
            PlanError(WorkgroupAxisLimit{"wgpu", 1, 16, 8}));
}

}  // namespace
}  // namespace vyre
