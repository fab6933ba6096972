#include "vyre/device/null/null_device.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace vyre {
namespace {

using Kind = NullRecord::Kind;

std::vector<Kind> kinds_of(const NullDevice& device) {
  std::vector<Kind> out;
  for (const NullRecord& r : device.records()) out.push_back(r.kind);
  return out;
}

TEST(NullDevice, RemembersLaunchesAndRunsNone) {
  const auto device = NullDevice::make();
  const auto queue = device->make_queue();
  const auto code = device->load(HostCode{});
  ASSERT_TRUE(queue && code);
  const std::array bindings{BoundMemory{64, 16}, BoundMemory{128, 4}};
  Launch launch;
  launch.code = code->get();
  launch.kernel = "saxpy";
  launch.bindings = bindings;
  launch.grid = {4, 2, 1};
  launch.extent = {200, 2, 1};
  launch.workgroup = {64, 1, 1};
  ASSERT_TRUE((*queue)->launch(launch));
  ASSERT_TRUE((*queue)->wait());
  const auto records = device->records();
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].kind, Kind::launch);
  EXPECT_EQ(records[0].kernel, "saxpy");
  ASSERT_EQ(records[0].bindings.size(), 2U);
  EXPECT_EQ(records[0].bindings[1].address, 128U);
  EXPECT_EQ(records[0].grid, (Extent{4, 2, 1}));
  EXPECT_EQ(records[0].extent, (Extent{200, 2, 1}));
  EXPECT_EQ(records[0].workgroup, (Extent{64, 1, 1}));
}

TEST(NullDevice, HasRealMemory) {
  const auto device = NullDevice::make();
  const auto queue = *device->make_queue();
  const auto from = device->allocate(8), to = device->allocate(8);
  ASSERT_TRUE(from && to);
  std::array<std::byte, 8> bytes{};
  bytes[3] = std::byte{42};
  EXPECT_TRUE(queue->write({from->address, 8}, bytes));
  EXPECT_TRUE(queue->copy({from->address, 8}, {to->address, 8}));
  EXPECT_TRUE(queue->clear({from->address, 8}));
  std::array<std::byte, 8> read{};
  EXPECT_TRUE(queue->read({to->address, 8}, read));
  EXPECT_EQ(read, bytes);
  EXPECT_TRUE(queue->read({from->address, 8}, read));
  EXPECT_EQ(read[3], std::byte{0});
  EXPECT_EQ(kinds_of(*device),
            (std::vector{Kind::write, Kind::copy, Kind::clear, Kind::read, Kind::read}));
  device->forget();
  EXPECT_TRUE(device->records().empty());
}

TEST(NullDevice, HasTheLimitsOfTheProcessor) {
  const Limits limits = NullDevice::make()->limits();
  EXPECT_EQ(limits.backend, "null");
  EXPECT_EQ(limits.max_threads_per_block, 1024U);
  EXPECT_EQ(limits.max_block_dim, (Extent{1024, 1024, 1024}));
  EXPECT_EQ(limits.max_grid_dim, (Extent{0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF}));
  EXPECT_EQ(limits.max_workgroup_bytes, std::uint64_t{1} << 20);
  EXPECT_EQ(limits.max_bindings, 1024U);
}

TEST(NullDevice, WorkOfNoBytesIsFine) {
  const auto device = NullDevice::make();
  const auto queue = *device->make_queue();
  EXPECT_TRUE(queue->write({}, {}));
  EXPECT_TRUE(queue->read({}, {}));
  EXPECT_TRUE(queue->copy({}, {}));
  EXPECT_TRUE(queue->clear({}));
}

TEST(NullDevice, EventsAreReadyAtOnce) {
  const auto device = NullDevice::make();
  const auto queue = *device->make_queue();
  const auto first = queue->record(), second = queue->record();
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(*(*first)->ready());
  EXPECT_TRUE((*second)->wait());
  EXPECT_EQ((*second)->since(**first)->count(), 0);
}

TEST(NullDevice, AQueueKeepsItsDevice) {
  auto device = NullDevice::make();
  const auto queue = *device->make_queue();
  const std::weak_ptr<NullDevice> seen = device;
  device.reset();
  EXPECT_FALSE(seen.expired());
  EXPECT_TRUE(queue->clear({}));
}

}  // namespace
}  // namespace vyre
