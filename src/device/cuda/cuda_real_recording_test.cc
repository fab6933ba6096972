// Recordings on a real GPU.
#include <algorithm>
#include <cstdio>

#include "vyre/device/cuda/cuda_real_testing.h"

namespace vyre {
namespace {

using namespace cuda_real;
using namespace std::chrono_literals;
using Kind = WorkItem::Kind;

class CudaRealRecording : public CudaReal {
 protected:
  void SetUp() override {
    CudaReal::SetUp();
    if (device_ == nullptr) return;
    for (auto& one : memory_) one = must(device_->allocate(kCount * 4));
    code_ = load(saxpy_code());
    std::iota(values_.begin(), values_.end(), 0.0F);
    must(queue_->write(all_of(memory_[0]), std::as_bytes(std::span(values_))));
  }
  Launch add_twice(std::array<BoundMemory, 2>& bindings, std::size_t from, std::size_t to,
                   std::uint32_t count = kCount) {
    bindings = {all_of(memory_[from]), all_of(memory_[to])};
    return saxpy(*code_, bindings, count);
  }
  std::vector<float> read(std::size_t i) {
    std::vector<float> out(kCount);
    must(queue_->read(all_of(memory_[i]), std::as_writable_bytes(std::span(out))));
    return out;
  }
  static double median_us(const std::function<void()>& run) {
    std::vector<double> all;
    for (int i = 0; i < 300; ++i) {
      const auto begun = Clock::now();
      run();
      all.push_back(1e3 * milliseconds(Clock::now() - begun));
    }
    std::ranges::sort(all);
    return all[all.size() / 2];
  }

  static constexpr std::uint32_t kCount = 10'000;
  std::array<DeviceMemory, 4> memory_;
  std::vector<float> values_ = std::vector<float>(kCount);
  std::shared_ptr<const LoadedCode> code_;
};

TEST_F(CudaRealRecording, PlaysClearsCopiesAndLaunchesInTheirOrder) {
  std::array<BoundMemory, 2> first{}, second{};
  std::vector<WorkItem> items(5);
  items[0] = {.kind = Kind::clear, .to = all_of(memory_[1])};
  items[1] = {.kind = Kind::launch, .launch = add_twice(first, 0, 1), .after = {0}};
  items[2] = {
      .kind = Kind::copy, .from = all_of(memory_[1]), .to = all_of(memory_[2]), .after = {1}};
  items[3] = {.kind = Kind::launch, .launch = add_twice(second, 0, 2), .after = {2}};
  items[4] = {.kind = Kind::clear, .to = {memory_[3].address + 1, 7}};
  const auto recording = must(queue_->record_work(items));
  EXPECT_EQ(recording->one_by_one(), "");
  for (int i = 0; i < 3; ++i) {
    must(queue_->play(*recording));
    const auto got = read(2);
    for (std::uint32_t k = 0; k < kCount; ++k) ASSERT_EQ(got[k], 4 * values_[k]) << k;
  }
  // Another extent and grid in the place of the last launch.
  must(recording->set(3, add_twice(second, 0, 2, 100)));
  must(queue_->play(*recording));
  const auto got = read(2);
  for (std::uint32_t k = 0; k < kCount; ++k) ASSERT_EQ(got[k], (k < 100 ? 4 : 2) * values_[k]) << k;
}

TEST_F(CudaRealRecording, ADeadlineStopsALaunchOfARecording) {
  const auto endless = load(endless_code());
  std::array<BoundMemory, 2> bindings{};
  std::vector<WorkItem> items(2);
  items[0].launch = {.code = endless.get(), .kernel = "endless", .bindings = {}};
  items[1] = {.kind = Kind::launch, .launch = add_twice(bindings, 0, 1), .after = {0}};
  const auto recording = must(queue_->record_work(items));
  must(queue_->play(*recording, {.deadline = 30ms}));
  const auto waited = queue_->wait();
  ASSERT_FALSE(waited);
  EXPECT_NE(waited.error().what.find("'endless' did not end within 30 ms"), std::string::npos);
  EXPECT_TRUE(computes(*device_, *queue_));
}

TEST_F(CudaRealRecording, CostsLessThanItsLaunches) {
  std::array<std::array<BoundMemory, 2>, 64> bindings{};
  std::vector<WorkItem> items(64);
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    items[i].launch = add_twice(bindings[i], i % 2, 1 - i % 2, 1000);
    if (i != 0) items[i].after = {i - 1};
  }
  const auto recording = must(queue_->record_work(items));
  const auto play = [&] {
    must(queue_->play(*recording));
    must(queue_->wait());
  };
  play();
  const double closed = median_us(play);
  const double open = median_us([&] {
    for (const WorkItem& item : items) must(queue_->launch(item.launch));
    must(queue_->wait());
  });
  const double change = median_us([&] { must(recording->set(31, items[31].launch)); });
  const double submit = median_us([&] { must(queue_->play(*recording)); });
  must(queue_->wait());
  std::printf(
      "64 launches: %.1f us as a recording (submitting it %.2f us), %.1f us one by one; "
      "a changed item %.2f us\n",
      closed, submit, open, change);
  EXPECT_LT(closed, open);
  EXPECT_LT(change, 5);
}

}  // namespace
}  // namespace vyre
