// Spaces of overrides that are too large to be swept, on the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/engine/session.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kN = 48;

// A tiled matrix product. Every choice adds up in the same order, so that all give the same bits.
constexpr const char* kText = R"(
override BX: u32 = 16u;
override BY: u32 = 16u;
override BK: u32 = 16u;
override PAD: u32 = 0u;
override UNROLL: u32 = 1u;
const N = 48u;
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
var<workgroup> ta: array<f32, BY * (BK + PAD)>;
var<workgroup> tb: array<f32, BK * (BX + PAD)>;
@compute @workgroup_size(BX, BY) fn matmul(@builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_id) l: vec3<u32>, @builtin(workgroup_id) w: vec3<u32>) {
  var sum = 0.0;
  let lane = l.y * BX + l.x;
  for (var k0 = 0u; k0 < N; k0 += BK) {
    for (var i = lane; i < BY * BK; i += BX * BY) {
      ta[i / BK * (BK + PAD) + i % BK] = a[min(w.y * BY + i / BK, N - 1u) * N + k0 + i % BK];
    }
    for (var i = lane; i < BK * BX; i += BX * BY) {
      tb[i / BX * (BX + PAD) + i % BX] = b[(k0 + i / BX) * N + min(w.x * BX + i % BX, N - 1u)];
    }
    workgroupBarrier();
    for (var k = 0u; k < BK; k += UNROLL) {
      for (var u = 0u; u < UNROLL; u += 1u) {
        sum += ta[l.y * (BK + PAD) + k + u] * tb[(k + u) * (BX + PAD) + l.x];
      }
    }
    workgroupBarrier();
  }
  if (id.x < N && id.y < N) { c[id.y * N + id.x] = sum; }
}
)";

// More than 500 choices, each with several gangs and groups of a task. All tiles divide the matrix:
// the lanes of a workgroup that is cut off would not load their part of a tile.
const std::vector<KernelChoice>& choices() {
  static const std::vector<KernelChoice> all = [] {
    static const ParsedModule parsed = parse_wgsl(kText);
    std::vector<KernelChoice> out;
    for (const unsigned x : {4U, 8U, 12U, 16U, 24U, 48U}) {
      for (const unsigned y : {1U, 2U, 3U, 4U, 8U, 16U}) {
        for (const unsigned k : {4U, 8U, 16U, 24U, 48U}) {
          for (const unsigned pad : {0U, 1U}) {
            for (const unsigned unroll : {1U, 2U, 4U}) {
              if (x * y < 16 || x * y > 512) continue;
              const std::vector<std::pair<const char*, unsigned>> values{
                  {"BX", x}, {"BY", y}, {"BK", k}, {"PAD", pad}, {"UNROLL", unroll}};
              std::vector<OverrideValue> given;
              std::vector<OverrideSetting> named;
              for (const auto& [name, value] : values) {
                given.push_back({name, double(value)});
                named.push_back({name, std::to_string(value)});
              }
              out.push_back({*make_kernel(*parsed.module->find("matmul"), given), named});
            }
          }
        }
      }
    }
    return out;
  }();
  return all;
}

struct Search {
  // Ends it, whatever the machine takes for it.
  struct End {
    std::atomic<std::uint32_t> stop{0};
    std::atomic<int> compared{0};
  };
  std::shared_ptr<End> end;
  Session session;
  Buffer a, b, c;
  Dispatch dispatch;

  // A search that is stopped when so many candidates were compared with the first one.
  static Search make(int most, const std::function<void(SessionOptions&)>& change) {
    auto end = std::make_shared<End>();
    SessionOptions options;
    options.cpu.threads = 2;
    options.tuning = TuningOptions{};
    options.tuning->mode = TunerMode::sweep;
    options.tuning->exact_size = true;
    options.tuning->stop = &end->stop;
    options.tuning->observer.span = [end, most](const TunerSpan& span) {
      if (span.kind == TunerSpan::Kind::verify && ++end->compared == most) end->stop = 1;
    };
    change(options);
    Session session = *Session::open("cpu", std::move(options));
    Buffer a = *session.buffer(kN * kN * 4), b = *session.buffer(kN * kN * 4),
           c = *session.buffer(kN * kN * 4);
    std::vector<float> values(kN * kN);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.001F * float(i % 977);
    EXPECT_TRUE(session.write(a, 0, std::as_bytes(std::span(values))));
    EXPECT_TRUE(session.write(b, 0, std::as_bytes(std::span(values))));
    const std::vector<Binding> bindings{{.group = 0, .binding = 0, .buffer = a},
                                        {.group = 0, .binding = 1, .buffer = b},
                                        {.group = 0, .binding = 2, .buffer = c}};
    auto dispatch =
        session.prepare("matmul", choices(), bindings, DispatchSize::extent({kN, kN, 1}));
    EXPECT_TRUE(dispatch) << (dispatch ? "" : describe(dispatch.error()));
    return {std::move(end), std::move(session), a, b, c, *std::move(dispatch)};
  }

  bool is_right() const {
    std::vector<float> x(kN * kN), out(kN * kN);
    EXPECT_TRUE(session.read(a, 0, std::as_writable_bytes(std::span(x))));
    EXPECT_TRUE(session.read(c, 0, std::as_writable_bytes(std::span(out))));
    for (std::uint32_t row = 0; row < kN; ++row) {
      for (std::uint32_t column = 0; column < kN; ++column) {
        float sum = 0;
        for (std::uint32_t k = 0; k < kN; ++k) sum += x[row * kN + k] * x[k * kN + column];
        if (std::abs(sum - out[row * kN + column]) > 1e-4F * sum) return false;
      }
    }
    return true;
  }
};

std::size_t measured(const TuningView& view) {
  return static_cast<std::size_t>(
      std::ranges::count_if(view.candidates, [](const CandidateView& c) { return c.samples > 0; }));
}

TEST(TunedSearchTest, ALargeSpaceOfOverridesIsSearchedAsAWhole) {
  ASSERT_GE(choices().size(), 500U);
  const Search search = Search::make(16, [](SessionOptions&) {});
  const TuningView before = *search.dispatch.tuning();
  EXPECT_EQ(before.strategy, "natural");
  EXPECT_TRUE(before.left_out.empty()) << before.left_out;
  EXPECT_GT(before.candidates.size(), 4 * choices().size());
  ASSERT_TRUE(search.session.run(search.dispatch));
  EXPECT_TRUE(search.is_right());
  const TuningView after = *search.dispatch.tuning();
  EXPECT_EQ(measured(after), 16U);
  const CandidateView& chosen = after.candidates[after.incumbent];
  EXPECT_GT(chosen.time.ns, 0);
  // What it looks at does not stay in one corner: overrides and variants are searched alike.
  std::set<std::string> tiles;
  std::set<std::uint32_t> groups;
  for (std::size_t i = 0; i < after.candidates.size(); ++i) {
    if (after.candidates[i].samples == 0) continue;
    tiles.insert(after.variants[i].overrides[0].value + "x" + after.variants[i].overrides[1].value);
    groups.insert(after.variants[i].groups_per_task);
  }
  EXPECT_GT(tiles.size(), 2U);
  EXPECT_GT(groups.size(), 1U);
}

TEST(TunedSearchTest, WrongCandidatesAreDroppedAndTheSearchGoesOn) {
  // Tiles with a width of 8, 24 or 48 are wrong, and look fast; but not those of the first guess.
  std::atomic<std::uint32_t> right{0};
  const auto is_wrong = [&](std::uint32_t x) {
    return (x == 8 || x == 24 || x == 48) && x != right.load();
  };
  const auto corrupt = [&](const Launch& launch) {
    if (!is_wrong(launch.workgroup[0])) {
      std::this_thread::sleep_for(300us);
    } else {
      *reinterpret_cast<float*>(launch.bindings[2].address) += 1;
    }
  };
  const Search search =
      Search::make(24, [&](SessionOptions& options) { options.cpu.after_launch = corrupt; });
  right = search.dispatch.variant().workgroup[0];
  ASSERT_TRUE(search.session.run(search.dispatch));
  EXPECT_TRUE(search.is_right());
  const TuningView view = *search.dispatch.tuning();
  std::size_t dropped = 0;
  for (std::size_t i = 0; i < view.candidates.size(); ++i) {
    const std::uint32_t x = view.variants[i].workgroup[0];
    const bool wrong = is_wrong(x);
    if (view.candidates[i].stage == CandidateStage::dropped) {
      ++dropped;
      EXPECT_TRUE(wrong) << view.candidates[i].text << ": " << view.candidates[i].dropped;
      EXPECT_NE(view.candidates[i].dropped.find("differ"), std::string::npos);
    }
    if (wrong) {
      EXPECT_EQ(view.candidates[i].samples, 0U) << view.candidates[i].text;
    }
  }
  EXPECT_GT(dropped, 0U);
  EXPECT_EQ(measured(view) + dropped, 24U);
  EXPECT_FALSE(is_wrong(search.dispatch.variant().workgroup[0]));
}

TEST(TunedSearchTest, AStoppedSearchKeepsWhatItLearnedAndGoesOn) {
  const TemporaryFolder folder;
  const auto keep = [&](SessionOptions& options) {
    options.tuning->evidence = folder.path() / "evidence.jsonl";
  };
  std::size_t first_round = 0;
  {
    const Search search = Search::make(12, keep);
    ASSERT_TRUE(search.session.run(search.dispatch));
    EXPECT_TRUE(search.is_right());
    const TuningView view = *search.dispatch.tuning();
    first_round = measured(view);
    EXPECT_EQ(first_round, 12U);
  }
  const Search search = Search::make(8, keep);
  const TuningView known = *search.dispatch.tuning();
  EXPECT_EQ(measured(known), first_round);
  ASSERT_TRUE(search.session.run(search.dispatch));
  EXPECT_TRUE(search.is_right());
  const TuningView view = *search.dispatch.tuning();
  EXPECT_GT(measured(view), first_round);
  EXPECT_GT(view.known_before, 0U);
}

TEST(TunedSearchTest, WhatASearchDecidedServesProgramsThatTryLess) {
  const TemporaryFolder folder;
  const auto keep = [&](SessionOptions& options) {
    options.tuning->evidence = folder.path() / "evidence.jsonl";
  };
  Variant winner;
  {
    // It ends by itself: a search that is stopped proves nothing.
    const Search search = Search::make(1'000'000, [&](SessionOptions& options) {
      keep(options);
      options.tuning->sweep_time = 100s;  // more than it needs on a busy machine
      // A variant that is not the usual one of its overrides.
      options.cpu.after_launch = [](const Launch& launch) {
        if (launch.groups_per_task != 8) std::this_thread::sleep_for(2ms);
      };
    });
    ASSERT_TRUE(search.session.run(search.dispatch));
    winner = search.dispatch.variant();
    ASSERT_EQ(winner.groups_per_task, 8U)
        << search.dispatch.tuning()->reason << "; " << measured(*search.dispatch.tuning());
  }
  for (const TunerMode mode : {TunerMode::frozen, TunerMode::natural_gradient}) {
    const Search search = Search::make(1, [&](SessionOptions& options) {
      keep(options);
      options.tuning->mode = mode;
    });
    EXPECT_EQ(search.dispatch.variant(), winner);
    const TuningView view = *search.dispatch.tuning();
    EXPECT_NE(view.left_out.find("only the declared variants"), std::string::npos) << view.left_out;
    EXPECT_LE(view.candidates.size(), choices().size() + 1);
    ASSERT_TRUE(search.session.run(search.dispatch));
    EXPECT_TRUE(search.is_right());
  }
}

}  // namespace
}  // namespace vyre
