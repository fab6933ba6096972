#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>

#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/engine/session.h"
#include "vyre/engine/tuned/shadows_internal.h"
#include "vyre/engine/tuned/tuned_kernel_internal.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

using namespace std::chrono_literals;

constexpr const char* kText = R"(
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
override STEP: u32 = 1u;
@compute @workgroup_size(64) fn add(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&y)) { y[id.x] += x[id.x]; }
}
@compute @workgroup_size(64) fn twice(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&y)) { y[id.x] = 2u * x[id.x]; }
}
@compute @workgroup_size(64) fn stepped(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&y)) { y[id.x] = x[id.x] / STEP * STEP + x[id.x] % STEP; }
}
)";

const Program& program_of(std::string_view entry) {
  static const ParsedModule parsed = parse_wgsl(kText);
  return *parsed.module->find(entry);
}

constexpr std::uint32_t kCount = 3000;
constexpr std::uint32_t kFast = 1024;  // lanes of the workgroup that is made the fastest

// Candidates are compiled beside the calls, and nobody knows how many calls pass meanwhile on a
// busy machine. A test that waits for a search therefore continues for a number of calls and for
// some time.
class Patience {
 public:
  explicit Patience(std::uint32_t calls) : calls_(calls) {}
  bool next() { return made_++ < calls_ || std::chrono::steady_clock::now() < end_; }

 private:
  const std::uint32_t calls_;
  std::uint32_t made_ = 0;
  const std::chrono::steady_clock::time_point end_ =
      std::chrono::steady_clock::now() + std::chrono::minutes(2);
};

// Makes workgroups of kFast lanes the fastest by far, whatever else the machine does.
void slow_down_others(const Launch& launch) {
  if (launch.workgroup[0] != kFast) std::this_thread::sleep_for(2ms);
}

SessionOptions options_of(TunerMode mode, std::function<void(const Launch&)> after = {}) {
  SessionOptions out;
  out.cpu.threads = 2;
  out.cpu.after_launch = std::move(after);
  out.tuning = TuningOptions{};
  out.tuning->mode = mode;
  // Compiling takes longer than these calls: it would not be allowed for a long time.
  out.tuning->compile_at_once = true;
  return out;
}

struct Work {
  Session session;
  Buffer x, y;
  Dispatch dispatch;

  static Work make(SessionOptions options, std::string_view entry, std::uint32_t count = kCount) {
    Session session = *Session::open("cpu", std::move(options));
    std::vector<std::uint32_t> values(count);
    std::iota(values.begin(), values.end(), 1U);
    Buffer x = *session.buffer(count * 4), y = *session.buffer(count * 4);
    EXPECT_TRUE(session.write(x, 0, std::as_bytes(std::span(values))));
    const std::vector<Binding> bindings{{.group = 0, .binding = 0, .buffer = x},
                                        {.group = 0, .binding = 1, .buffer = y}};
    auto dispatch = session.prepare(*make_kernel(program_of(entry)), bindings,
                                    DispatchSize::extent({count, 1, 1}));
    EXPECT_TRUE(dispatch) << (dispatch ? "" : describe(dispatch.error()));
    return {std::move(session), x, y, *std::move(dispatch)};
  }

  std::vector<std::uint32_t> result() const {
    std::vector<std::uint32_t> out(y.size() / 4);
    EXPECT_TRUE(session.read(y, 0, std::as_writable_bytes(std::span(out))));
    return out;
  }
  // Every element is `times` its number, counted from 1.
  bool is_multiple(std::uint32_t times) const {
    const auto values = result();
    for (std::uint32_t i = 0; i < values.size(); ++i) {
      if (values[i] != times * (i + 1)) return false;
    }
    return true;
  }
  TuningView view() const { return *dispatch.tuning(); }
};

TEST(TunedTest, CallsThatWereGivenAreMadeWhenOneAsksAgain) {
  ServedLaunches served;
  served.add({.candidate = 3});
  EXPECT_EQ(served.take(), nullptr);
  served.give(3, 2);
  EXPECT_EQ(served.take()->candidate, 3U);
  EXPECT_NE(served.take(), nullptr);
  EXPECT_EQ(served.take(), nullptr);
  EXPECT_EQ(served.settle_given(), 2U);
  EXPECT_EQ(served.settle_given(), 0U);
}

TEST(TunedTest, ASearchEndsWithTheFastestVariant) {
  const Work work = Work::make(options_of(TunerMode::natural_gradient, slow_down_others), "add");
  std::uint32_t calls = 0;
  Patience patience(3000);
  while (work.dispatch.variant().workgroup[0] != kFast && patience.next()) {
    ASSERT_TRUE(work.session.run(work.dispatch));
    ++calls;
  }
  EXPECT_EQ(work.dispatch.variant().workgroup[0], kFast) << work.view().reason;
  // The sums in place show that every call did its work once, whichever variant served it.
  EXPECT_TRUE(work.is_multiple(calls));
  const TuningView view = work.view();
  EXPECT_GT(view.ledger.spent_ns, 0);
  EXPECT_EQ(view.candidates.size(), view.variants.size());
}

TEST(TunedTest, ADispatchThatIsTimedTriesNothing) {
  const Work work = Work::make(options_of(TunerMode::natural_gradient, slow_down_others), "add");
  const Variant first = work.dispatch.variant();
  ASSERT_TRUE(work.session.time(work.dispatch, 50));
  EXPECT_TRUE(work.is_multiple(50));
  EXPECT_EQ(work.dispatch.variant(), first);
  EXPECT_EQ(work.view().ledger.spent_ns, 0);
}

TEST(TunedTest, AWrongVariantIsDroppedAndNoCallSeesIt) {
  const auto corrupt = [](const Launch& launch) {
    slow_down_others(launch);
    if (launch.workgroup[0] != kFast) return;
    auto* words = reinterpret_cast<std::uint32_t*>(launch.bindings[1].address);
    words[launch.extent[0] - 1] += 1;
  };
  const Work work = Work::make(options_of(TunerMode::natural_gradient, corrupt), "twice");
  std::size_t dropped = 0;
  Patience patience(3000);
  while (dropped == 0 && patience.next()) {
    ASSERT_TRUE(work.session.run(work.dispatch));
    ASSERT_TRUE(work.is_multiple(2));
    for (const CandidateView& c : work.view().candidates) {
      if (c.stage != CandidateStage::dropped) continue;
      ++dropped;
      EXPECT_NE(c.text.find("workgroup=1024x1x1"), std::string::npos);
      EXPECT_NE(c.dropped.find("differ"), std::string::npos) << c.dropped;
    }
  }
  EXPECT_GT(dropped, 0U);
  EXPECT_NE(work.dispatch.variant().workgroup[0], kFast);
}

TEST(TunedTest, AProgramThatDiffersFromItselfIsNotTuned) {
  std::atomic<std::uint32_t> runs{0};
  const auto vary = [&runs](const Launch& launch) {
    *reinterpret_cast<std::uint32_t*>(launch.bindings[1].address) = ++runs;
    std::this_thread::sleep_for(1ms);  // there is something to gain
  };
  const Work work = Work::make(options_of(TunerMode::natural_gradient, vary), "twice");
  Patience patience(300);
  while (work.view().untunable.empty() && patience.next()) {
    ASSERT_TRUE(work.session.run(work.dispatch));
  }
  EXPECT_NE(work.view().untunable.find("different results"), std::string::npos)
      << work.view().untunable;
}

TEST(TunedTest, ARestartServesTheWinnerAtOnce) {
  const TemporaryFolder folder;
  const auto options = [&](TunerMode mode) {
    SessionOptions out = options_of(mode, slow_down_others);
    out.tuning->evidence = folder.path() / "evidence.jsonl";
    return out;
  };
  {
    const Work work = Work::make(options(TunerMode::sweep), "add");
    ASSERT_TRUE(work.session.run(work.dispatch));
    ASSERT_EQ(work.dispatch.variant().workgroup[0], kFast) << work.view().reason;
    EXPECT_TRUE(work.is_multiple(1));
  }
  for (const TunerMode mode :
       {TunerMode::natural_gradient, TunerMode::frozen, TunerMode::cached_or_default}) {
    const Work work = Work::make(options(mode), "add");
    EXPECT_EQ(work.dispatch.variant().workgroup[0], kFast);
    EXPECT_EQ(work.view().origin.match, MatchKind::exact);
    ASSERT_TRUE(work.session.run(work.dispatch));
    EXPECT_TRUE(work.is_multiple(1));
  }
  // For another size of the same bucket the decision is an answer, for another bucket only a hint.
  const Work near = Work::make(options(TunerMode::frozen), "add", kCount + 7);
  EXPECT_EQ(near.dispatch.variant().workgroup[0], kFast);
  const Work far = Work::make(options(TunerMode::frozen), "add", 64 * kCount);
  EXPECT_NE(far.view().origin.match, MatchKind::exact);
  EXPECT_FALSE(far.view().origin.text.empty());
}

TEST(TunedTest, FrozenNeverMeasures) {
  const Work work = Work::make(options_of(TunerMode::frozen, slow_down_others), "add");
  const Variant first = work.dispatch.variant();
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(work.session.run(work.dispatch));
  EXPECT_EQ(work.dispatch.variant(), first);
  EXPECT_TRUE(work.is_multiple(40));
  for (const CandidateView& c : work.view().candidates) EXPECT_EQ(c.samples, 0U);
  EXPECT_FALSE(work.view().origin.text.empty());
}

TEST(TunedTest, ManyThreadsShareOneSearch) {
  SessionOptions options = options_of(TunerMode::natural_gradient, slow_down_others);
  options.tuning->compile_at_once = false;
  const Session session = *Session::open("cpu", std::move(options));
  const Kernel kernel = *make_kernel(program_of("add"));
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      std::vector<std::uint32_t> ones(kCount, 1), out(kCount);
      Buffer x = *session.buffer(kCount * 4), y = *session.buffer(kCount * 4);
      if (!session.write(x, 0, std::as_bytes(std::span(ones)))) ++wrong;
      const std::vector<Binding> bindings{{.group = 0, .binding = 0, .buffer = x},
                                          {.group = 0, .binding = 1, .buffer = y}};
      const auto dispatch = session.prepare(kernel, bindings, DispatchSize::extent({kCount, 1, 1}));
      for (int i = 0; i < 150; ++i) {
        if (!dispatch || !session.run(*dispatch)) ++wrong;
      }
      if (!session.read(y, 0, std::as_writable_bytes(std::span(out)))) ++wrong;
      if (std::ranges::any_of(out, [](std::uint32_t v) { return v != 150; })) ++wrong;
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(TunedTest, OverridesAreChosenToo) {
  const auto slow = [](const Launch& launch) {
    if (launch.workgroup[0] != 64) std::this_thread::sleep_for(1ms);
  };
  const Session session = *Session::open("cpu", options_of(TunerMode::sweep, slow));
  std::vector<KernelChoice> choices;
  for (const double step : {1.0, 2.0, 8.0}) {
    const OverrideValue value{"STEP", step};
    choices.push_back({*make_kernel(program_of("stepped"), std::span(&value, 1)),
                       {{"STEP", std::to_string(static_cast<int>(step))}}});
  }
  std::vector<std::uint32_t> values(kCount);
  std::iota(values.begin(), values.end(), 1U);
  Buffer x = *session.buffer(kCount * 4), y = *session.buffer(kCount * 4);
  ASSERT_TRUE(session.write(x, 0, std::as_bytes(std::span(values))));
  const std::vector<Binding> bindings{{.group = 0, .binding = 0, .buffer = x},
                                      {.group = 0, .binding = 1, .buffer = y}};
  const auto dispatch =
      session.prepare("stepped", choices, bindings, DispatchSize::extent({kCount, 1, 1}));
  ASSERT_TRUE(dispatch) << describe(dispatch.error());
  ASSERT_TRUE(session.run(*dispatch));
  EXPECT_EQ(dispatch->variant().overrides.size(), 1U);
  EXPECT_EQ(dispatch->variant().workgroup[0], 64U);
  std::vector<std::uint32_t> out(kCount);
  ASSERT_TRUE(session.read(y, 0, std::as_writable_bytes(std::span(out))));
  EXPECT_EQ(out, values);
}

TEST(TunedTest, ASliceEndsAsRaggedlyAsTheWhole) {
  const Kernel kernel = *make_kernel(program_of("add"));
  const Slice slice = slice_of(kernel, {1'000'003, 1, 1});
  ASSERT_TRUE(slice.elements);
  EXPECT_LE(*slice.elements, 1'000'003U / 8);
  EXPECT_EQ(*slice.elements % 16384, 1'000'003U % 16384);
  EXPECT_FALSE(slice_of(kernel, {100, 1, 1}).elements);
  const auto written = written_slots(kernel);
  ASSERT_EQ(written.size(), 1U);
  EXPECT_EQ(written[0].slot, 1U);
  EXPECT_EQ(written[0].stride, 4U);
}

}  // namespace
}  // namespace vyre
