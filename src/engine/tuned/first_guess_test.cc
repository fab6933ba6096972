// The variant that serves first on the CPU, before anything was timed.
#include <gtest/gtest.h>

#include "vyre/engine/session.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

constexpr const char* kText = R"(
@group(0) @binding(0) var<storage, read> values: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;
@group(0) @binding(2) var<storage, read_write> count: array<atomic<u32>, 256>;
var<workgroup> tile: array<f32, 256>;
var<workgroup> bins: array<atomic<u32>, 256>;

// Loops that compute, and one atomic operation in the end.
@compute @workgroup_size(256) fn correlate(@builtin(global_invocation_id) id: vec3<u32>,
                                        @builtin(local_invocation_index) lane: u32) {
  tile[lane] = values[id.x];
  workgroupBarrier();
  var sum = 0.0;
  for (var i = 0u; i < 256u; i++) { sum += tile[i] * tile[(i + lane) % 256u]; }
  sums[id.x] = sum;
  if (sum > 1e6) { atomicAdd(&count[0], 1u); }
}

// Loops that do little but atomic operations; a place is counted twice where it was not counted yet.
@compute @workgroup_size(256) fn tally(@builtin(local_invocation_index) lane: u32,
                                       @builtin(workgroup_id) group: vec3<u32>) {
  for (var i = 0u; i < 16u; i++) {
    let value = values[(group.x * 16u + i) * 256u + lane];
    let before = atomicAdd(&bins[u32(value) % 256u], 1u);
    if (before == 0u) { atomicAdd(&bins[u32(value) % 256u], 1u); }
  }
  workgroupBarrier();
  atomicAdd(&count[lane], atomicLoad(&bins[lane]));
}

// The same without the results: one operation serves all lanes of a gang.
@compute @workgroup_size(256) fn histogram(@builtin(local_invocation_index) lane: u32,
                                           @builtin(workgroup_id) group: vec3<u32>) {
  for (var i = 0u; i < 16u; i++) {
    let value = values[(group.x * 16u + i) * 256u + lane];
    atomicAdd(&bins[u32(value) % 256u], 1u);
  }
  workgroupBarrier();
  atomicAdd(&count[lane], atomicLoad(&bins[lane]));
}
)";

TEST(FirstGuessTest, LanesGoAloneWhereLoopsDoAtomicsMost) {
  const ParsedModule parsed = parse_wgsl(kText);
  ASSERT_TRUE(parsed.module) << parsed.message();
  SessionOptions options;
  options.cpu.threads = 2;
  options.tuning = TuningOptions{};
  const Session session = *Session::open("cpu", std::move(options));
  constexpr std::uint32_t kCount = 1 << 16;
  const Buffer values = *session.buffer(kCount * 4), sums = *session.buffer(kCount * 4),
               count = *session.buffer(1024);
  const std::vector<Binding> bindings{{.group = 0, .binding = 0, .buffer = values},
                                      {.group = 0, .binding = 1, .buffer = sums},
                                      {.group = 0, .binding = 2, .buffer = count}};
  const auto start_of = [&](const char* entry, std::uint32_t groups) {
    std::vector<Binding> used = bindings;
    if (std::string_view(entry) != "correlate") used.erase(used.begin() + 1);
    const auto dispatch = session.prepare(*make_kernel(*parsed.module->find(entry)), used,
                                          DispatchSize::workgroups({groups, 1, 1}));
    EXPECT_TRUE(dispatch) << describe(dispatch.error());
    const TuningView view = *dispatch->tuning();
    return view.variants[view.start];
  };
  EXPECT_GT(start_of("correlate", kCount / 256).gang_width, 1U);
  EXPECT_EQ(start_of("tally", kCount / 256 / 16).gang_width, 1U);
  EXPECT_GT(start_of("histogram", kCount / 256 / 16).gang_width, 1U);
  // The same holds in a session that tunes nothing.
  const Session plain = *Session::open("cpu", {});
  EXPECT_GT(plain.default_variant(*make_kernel(*parsed.module->find("correlate"))).gang_width, 1U);
  const Variant usual = plain.default_variant(*make_kernel(*parsed.module->find("tally")));
  EXPECT_EQ(usual.gang_width, 1U);
  EXPECT_EQ(usual.workgroup, (Extent{256, 1, 1}));
  EXPECT_EQ(usual.groups_per_task, 1U);
}

}  // namespace
}  // namespace vyre
