#include "vyre/resident/recommend.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>
#include <set>
#include <utility>

#include "vyre/resident/recommendation_cache.h"

namespace vyre {
namespace {

using enum Topology;

Recommendation recommended(const ResidentRequest& request,
                           std::optional<Topology> previous = std::nullopt) {
  const auto result = compute_recommendation(kStandardPolicy, request, previous);
  EXPECT_TRUE(result) << wire_name(result.error());
  return result.value_or(Recommendation{});
}

TEST(Recommend, PlainQueue) {
  ResidentRequest request = direct_request(700, 48, 256);
  request.expected_hits_per_item = 5;
  const Recommendation got = recommended(request);
  EXPECT_EQ(got.geometry, (RingGeometry{48, 720, {15, 1, 1}}));
  EXPECT_EQ(got.worker_groups, 48u);
  EXPECT_EQ(got.hit_capacity, 7000u);
  EXPECT_EQ(got.estimated_peak_device_bytes, 112000u);
  EXPECT_EQ(got.pressure, QueuePressure::light);
  EXPECT_EQ(got.execution_mode, ExecutionMode::interpreter);
  EXPECT_EQ(got.topology, sparse_frontier);
}

TEST(Recommend, WorkersFromOccupancy) {
  ResidentRequest request = direct_request(100000, 0, 256);
  request.max_compute_workgroups_per_dimension = 65535;
  request.max_compute_invocations_per_workgroup = 1024;
  const Recommendation got = recommended(request);
  EXPECT_EQ(got.geometry, (RingGeometry{255, 100215, {255, 1, 1}}));
  EXPECT_EQ(got.pressure, QueuePressure::balanced);
  EXPECT_EQ(got.hit_capacity, 200000u);
  EXPECT_EQ(got.execution_mode, ExecutionMode::jit);
}

TEST(Recommend, ShedsWorkersUnderMemoryPressure) {
  ResidentRequest request = direct_request(20000, 200, 256);
  request.graph_node_count = 40000;
  request.graph_edge_count = 90000;
  request.resident_device_bytes = 7300000000;
  request.device_memory_budget_bytes = 8000000000;
  request.hot_opcode_count = 2;
  const Recommendation got = recommended(request);
  EXPECT_EQ(got.topology, memory_constrained);
  EXPECT_EQ(got.worker_groups, 129u);
  EXPECT_EQ(got.geometry, (RingGeometry{129, 20124, {129, 1, 1}}));
  EXPECT_EQ(got.hit_capacity, 20000u);
  EXPECT_EQ(got.estimated_peak_device_bytes, 7300320000u);
  EXPECT_EQ(got.execution_mode, ExecutionMode::jit);
}

TEST(Recommend, ShedsWorkersOnASparseFrontier) {
  ResidentRequest request = direct_request(50000, 100, 128);
  request.graph_node_count = 2000000;
  const Recommendation got = recommended(request);
  EXPECT_EQ(got.geometry, (RingGeometry{50, 50000, {50, 1, 1}}));
  EXPECT_EQ(got.pressure, QueuePressure::saturated);
}

ResidentRequest frontier(std::uint16_t density, bool hot) {
  ResidentRequest request = direct_request(3000, 100, 256);
  request.graph_node_count = 40000;
  request.graph_edge_count = 90000;
  request.frontier_density_bps = density;
  request.hot_opcode_count = hot ? 8 : 0;
  return request;
}

TEST(Recommend, HoldsTheTopologyWithinItsBand) {
  struct Case {
    Topology previous;
    std::uint16_t density;
    bool hot;
    Topology expected;
  };
  const Case cases[] = {
      {sparse_frontier, 750, false, sparse_frontier},
      {sparse_frontier, 751, false, hybrid_frontier},
      {hybrid_frontier, 250, false, hybrid_frontier},
      {hybrid_frontier, 249, false, sparse_frontier},
      {hybrid_frontier, 4250, true, hybrid_frontier},
      {hybrid_frontier, 4251, true, fused_dense},
      {dense_frontier, 3750, true, dense_frontier},
      {dense_frontier, 3749, true, hybrid_frontier},
      {fused_dense, 3750, true, fused_dense},
      {fused_dense, 3750, false, hybrid_frontier},
      {fused_dense, 4100, false, dense_frontier},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(recommended(frontier(c.density, c.hot), c.previous).topology, c.expected)
        << to_string(c.previous) << " at " << c.density;
  }
}

TEST(Recommend, LeavesMemoryConstraintBelowItsBand) {
  const auto at_pressure = [](std::uint16_t bps) {
    ResidentRequest request = frontier(2000, false);
    request.memory_pressure_bps = bps;
    return recommended(request, memory_constrained);
  };
  EXPECT_EQ(at_pressure(8500).worker_groups, 75u);
  EXPECT_EQ(at_pressure(8500).hit_capacity, 3000u);
  EXPECT_EQ(at_pressure(8250).topology, memory_constrained);
  EXPECT_EQ(at_pressure(8250).worker_groups, 75u);
  EXPECT_EQ(at_pressure(8250).hit_capacity, 6000u);
  EXPECT_EQ(at_pressure(8249).topology, hybrid_frontier);
  EXPECT_EQ(at_pressure(8249).worker_groups, 100u);
}

TEST(Recommend, BandsOutsideTheTypeSaturate) {
  ResidentPolicy policy;
  policy.dense_frontier_threshold_bps = 65500;
  policy.sparse_frontier_threshold_bps = 100;
  EXPECT_EQ(compute_recommendation(policy, frontier(65535, false), hybrid_frontier)->topology,
            hybrid_frontier);
  EXPECT_EQ(compute_recommendation(policy, frontier(1, false), hybrid_frontier)->topology,
            hybrid_frontier);
}

TEST(Recommend, ReportsTheFirstErrorInOrder) {
  ResidentRequest request = direct_request(2000, 64, 256);
  request.expected_hits_per_item = 3;
  request.resident_device_bytes = 100000;
  request.device_memory_budget_bytes = 200000;
  EXPECT_EQ(compute_recommendation(kStandardPolicy, request, {}).error(),
            ResidentError(DeviceOutOfMemory{292000, 200000}));

  request.resident_device_bytes = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(compute_recommendation(kStandardPolicy, request, {}).error(),
            ResidentError(PeakBytesOverflow{request.resident_device_bytes, 6000, 16}));

  request.expected_hits_per_item = 4'000'000;
  EXPECT_TRUE(std::holds_alternative<HitCapacityOverflow>(
      compute_recommendation(kStandardPolicy, request, {}).error()));

  ResidentPolicy policy;
  policy.saturated_waves = std::numeric_limits<std::uint32_t>::max();
  request = direct_request(0xffffffff, 0xffffffff, 0xffffffff);
  request.requested_hit_capacity = 1;
  const auto widest = compute_recommendation(policy, request, {});
  ASSERT_TRUE(widest);
  EXPECT_EQ(widest->pressure, QueuePressure::balanced);

  policy = {};
  policy.memory_pressure_threshold_bps = 10001;
  request.memory_pressure_bps = 10001;
  request.max_workgroup_size_x = 0;
  EXPECT_EQ(compute_recommendation(policy, request, {}).error(),
            ResidentError(MemoryThresholdOutOfRange{10001}));
  request.requested_worker_groups = 1;
  EXPECT_EQ(compute_recommendation(policy, request, {}).error(),
            ResidentError(ZeroLimit{ResidentLimit::max_workgroup_size_x}));
}

TEST(Recommend, EdgesOfTheQueue) {
  ResidentRequest request = direct_request(0xffffffff, 64, 256);
  request.requested_hit_capacity = 1;
  Recommendation got = recommended(request);
  EXPECT_EQ(got.geometry.slot_count, 4294967232u);
  EXPECT_EQ(got.pressure, QueuePressure::saturated);
  EXPECT_EQ(got.hit_capacity, 1u);

  request = direct_request(0, 64, 256);
  request.hot_opcode_count = 9;
  got = recommended(request);
  EXPECT_EQ(got.geometry, (RingGeometry{64, 64, {1, 1, 1}}));
  EXPECT_EQ(got.hit_capacity, 1024u);
  EXPECT_EQ(got.pressure, QueuePressure::empty);
  EXPECT_EQ(got.topology, empty);
  EXPECT_EQ(got.execution_mode, ExecutionMode::jit);
}

TEST(Recommend, ADirectRequestWithoutWorkersFails) {
  using enum ResidentLimit;
  EXPECT_EQ(compute_recommendation(kStandardPolicy, direct_request(5, 0, 0), {}).error(),
            ResidentError(ZeroLimit{max_workgroup_size_x}));
  EXPECT_EQ(compute_recommendation(kStandardPolicy, direct_request(5, 0, 9), {}).error(),
            ResidentError(ZeroLimit{max_compute_workgroups_per_dimension}));
}

TEST(Explain, SaysWhichSignalsWereInferred) {
  ResidentRequest request = direct_request(20000, 200, 256);
  request.graph_node_count = 40000;
  request.resident_device_bytes = 7300;
  request.device_memory_budget_bytes = 8000;
  request.requested_hit_capacity = 1;
  Explained explained = explain_recommendation(kStandardPolicy, request, {});
  EXPECT_TRUE(explained.derivation.density_inferred);
  EXPECT_TRUE(explained.derivation.pressure_inferred);
  EXPECT_EQ(explained.derivation.frontier_density_bps, 5000);
  EXPECT_EQ(explained.derivation.memory_pressure_bps, 9125);
  EXPECT_EQ(explained.derivation.requested_worker_groups, 129u);
  EXPECT_EQ(explained.derivation.hit_multiplier, 0u);
  EXPECT_EQ(*explained.result, *compute_recommendation(kStandardPolicy, request, {}));

  request.frontier_density_bps = 777;
  request.memory_pressure_bps = 5;
  explained = explain_recommendation(kStandardPolicy, request, sparse_frontier);
  EXPECT_FALSE(explained.derivation.density_inferred);
  EXPECT_FALSE(explained.derivation.pressure_inferred);
  EXPECT_EQ(explained.derivation.raw_topology, hybrid_frontier);
  EXPECT_EQ(explained.derivation.topology, hybrid_frontier);
}

// Properties over random inputs.

class RandomResident {
 public:
  explicit RandomResident(unsigned seed) : random_(seed) {}

  std::uint32_t u32() {
    constexpr std::array<std::uint32_t, 8> kEdges = {0, 1, 2, 255, 256, 4096, 65536, 0xffffffff};
    return random_() % 4 == 0 ? kEdges[random_() % kEdges.size()] : random_() >> random_() % 32;
  }
  std::uint16_t bps() { return static_cast<std::uint16_t>(random_() % 11000); }

  ResidentRequest request() {
    ResidentRequest r;
    r.queue_len = u32();
    r.requested_worker_groups = u32();
    r.max_workgroup_size_x = u32();
    r.max_compute_workgroups_per_dimension = u32();
    r.max_compute_invocations_per_workgroup = u32();
    r.requested_hit_capacity = random_() % 2 ? 0 : u32();
    r.expected_hits_per_item = random_() % 4;
    r.hot_opcode_count = random_() % 16;
    r.hot_window_count = random_() % 8;
    r.max_priority_age = random_() % 64;
    r.graph_node_count = u32();
    r.graph_edge_count = u32();
    r.frontier_density_bps = random_() % 2 ? 0 : bps();
    r.memory_pressure_bps = random_() % 2 ? 0 : bps();
    r.requeue_count = random_() % 2;
    r.resident_device_bytes = random_() % 2 ? 0 : u32();
    r.device_memory_budget_bytes = random_() % 2 ? 0 : (std::uint64_t{u32()} << 8);
    return r;
  }
  ResidentPolicy policy() {
    ResidentPolicy p;
    p.sparse_frontier_threshold_bps = bps();
    p.dense_frontier_threshold_bps = bps();
    p.memory_pressure_threshold_bps = bps();
    p.hit_capacity_multiplier = random_() % 5;
    p.fusion_edge_threshold = u32();
    return p;
  }

 private:
  std::mt19937 random_;
};

TEST(Recommend, IsAPureFunctionOfItsInputs) {
  RandomResident random(11);
  RecommendationCache cache;
  for (int i = 0; i < 20'000; ++i) {
    const ResidentPolicy policy = random.policy();
    const ResidentRequest request = random.request();
    const auto first = compute_recommendation(policy, request, {});
    EXPECT_EQ(cache.recommend(policy, request), first);
    EXPECT_EQ(cache.recommend(policy, request), first);
    EXPECT_EQ(compute_recommendation(policy, request, {}), first);
    EXPECT_EQ(explain_recommendation(policy, request, {}).result, first);
    for (const Topology previous : {empty, sparse_frontier, hybrid_frontier, dense_frontier,
                                    fused_dense, memory_constrained}) {
      EXPECT_EQ(compute_recommendation(policy, request, previous),
                compute_recommendation(policy, request, previous));
    }
  }
}

TEST(Recommend, StaysWithinTheLimitsItWasGiven) {
  RandomResident random(12);
  for (int i = 0; i < 20'000; ++i) {
    const ResidentRequest request = random.request();
    const auto got = compute_recommendation(random.policy(), request, {});
    if (!got) continue;
    EXPECT_LE(got->worker_groups, request.max_compute_workgroups_per_dimension);
    EXPECT_LE(got->geometry.workgroup_size_x, request.max_workgroup_size_x);
    if (request.requested_worker_groups > 0) {
      EXPECT_LE(got->worker_groups, request.requested_worker_groups);
    }
    if (request.device_memory_budget_bytes > 0) {
      EXPECT_LE(got->estimated_peak_device_bytes, request.device_memory_budget_bytes);
    }
  }
}

// Walks one signal up or down and looks for a topology that comes back after it was left.
template <class Set>
void expect_no_return(const ResidentPolicy& policy, ResidentRequest request, Topology start,
                      bool upwards, Set set) {
  std::set<Topology> left;
  Topology current = start;
  bool first = true;  // what the walk starts on may not suit the first value
  for (int step = 0; step <= 11'000; step += 7) {
    set(request, static_cast<std::uint16_t>(upwards ? step + 1 : 11'001 - step));
    const auto got = compute_recommendation(policy, request, current);
    if (!got) return;
    if (std::exchange(first, false)) current = got->topology;
    if (got->topology == current) continue;
    ASSERT_FALSE(left.contains(got->topology))
        << to_string(got->topology) << " came back at step " << step;
    left.insert(current);
    current = got->topology;
  }
}

TEST(Recommend, NeverReturnsToATopologyItLeftOnAMonotoneSignal) {
  RandomResident random(13);
  for (int i = 0; i < 60; ++i) {
    const ResidentPolicy policy = i == 0 ? ResidentPolicy{} : random.policy();
    ResidentRequest request = random.request();
    request.queue_len = request.queue_len % 100'000 + 1;
    request.device_memory_budget_bytes = 0;
    for (const Topology start :
         {sparse_frontier, hybrid_frontier, dense_frontier, fused_dense, memory_constrained}) {
      for (const bool upwards : {true, false}) {
        expect_no_return(policy, request, start, upwards,
                         [](ResidentRequest& r, std::uint16_t v) { r.frontier_density_bps = v; });
        expect_no_return(policy, request, start, upwards,
                         [](ResidentRequest& r, std::uint16_t v) { r.memory_pressure_bps = v; });
      }
    }
  }
}

TEST(ResidentErrors, EachHasAWireNameAndSaysSomethingToDo) {
  const ResidentError errors[] = {
      ZeroLimit{ResidentLimit::max_workgroup_size_x},
      QueueLengthOverflow{1},
      RingPaddingOverflow{1, 0},
      MemoryThresholdOutOfRange{10001},
      QueuePressureOverflow{1, 2},
      HitCapacityOverflow{1, 2, 3},
      PeakBytesOverflow{1, 2, 3},
      DeviceOutOfMemory{2, 1},
      CounterOverflow{ResidentCounter::requeue_count},
      LengthMismatch{1, 2},
      InputTooShort{1, 0, 0},
  };
  std::set<std::string_view> names;
  for (const ResidentError& error : errors) {
    names.insert(wire_name(error));
    EXPECT_FALSE(to_error(error).what.empty());
    EXPECT_FALSE(to_error(error).fix.empty());
  }
  EXPECT_EQ(names.size(), std::size(errors));
  EXPECT_EQ(to_error(DeviceOutOfMemory{2, 1}).code, Code::out_of_memory);
}

}  // namespace
}  // namespace vyre
