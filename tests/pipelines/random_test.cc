// Random pipelines leave in every buffer what the interpreter leaves there: fused and stage by
// stage, in one run after another, and while a tuner tries other variants.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>

#include "random_pipeline.h"
#include "random_stencils.h"
#include "support/runner.h"
#include "vyre/engine/pipeline/prepared_pipeline.h"
#include "vyre/pipeline/interpret_pipeline.h"

namespace vyre {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// The first word that differs; any NaN equals any NaN.
std::string difference(std::span<const std::byte> want, std::span<const std::byte> got) {
  for (std::size_t at = 0; at + 4 <= want.size(); at += 4) {
    float x = 0;
    float y = 0;
    std::memcpy(&x, want.data() + at, 4);
    std::memcpy(&y, got.data() + at, 4);
    if (std::memcmp(&x, &y, 4) == 0 || (std::isnan(x) && std::isnan(y))) continue;
    return fmt::format("byte {}: {} interpreted, {} on the device", at, x, y);
  }
  return {};
}

struct Way {
  std::string name;
  bool fuse = true;
  int runs = 3;
  bool bands = true;
};

// What differs in the runs of one way, or fails; empty: nothing.
std::string run(const Session& session, const RandomPipeline& random, const Way& way,
                std::map<std::string, int>& seen) {
  const Pipeline& pipeline = random.pipeline;
  PipelineOptions options;
  options.plan.fuse = way.fuse;
  options.plan.bands = way.bands;
  options.plan.limits.recomputed_operations = 1e9;
  const auto ready = make_ready(pipeline, options.ready);
  if (!ready) return describe(ready.error());
  auto prepared = session.prepare(pipeline, options);
  if (!prepared) return describe(prepared.error());
  auto expected = first_memory(*ready);
  if (!expected) return describe(expected.error());
  for (const LaunchBands& bands : prepared->bands()) {
    if (bands.banded) ++seen["banded"];
    if (bands.rounds > 1) ++seen["rounds in bands"];
    if (!bands.why_not.empty()) ++seen["not banded: " + bands.why_not];
  }
  if (prepared->launches().launches.size() < ready->stages.size()) ++seen["fused"];
  if (!prepared->launches().loops.empty()) ++seen["looped"];
  if (!ready->swap_groups.empty()) ++seen["exchanged"];
  for (std::size_t b = 0; b < ready->buffers.size(); ++b) {
    const PlannedBuffer& planned = prepared->launches().buffers[b];
    if (ready->buffers[b].temporary()) ++seen["temporary"];
    if (planned.fate != BufferFate::memory) ++seen[std::string(to_string(planned.fate))];
  }
  for (int i = 0; i < way.runs; ++i) {
    if (const auto ran = session.run(*prepared); !ran) return describe(ran.error());
    if (const auto same = interpret_pipeline(*ready, *expected); !same) {
      return describe(same.error());
    }
    for (std::size_t b = 0; b < ready->buffers.size(); ++b) {
      const ReadyBuffer& buffer = ready->buffers[b];
      if (!buffer.seen_outside() || !prepared->launches().buffers[b].memory) continue;
      std::vector<std::byte> found(buffer.bytes);
      if (const auto read = prepared->read(buffer.name, found); !read) {
        return describe(read.error());
      }
      const std::string differs = difference((*expected)[b], found);
      if (!differs.empty()) {
        return fmt::format("{}, run {}: '{}' at {}\n{}", way.name, i + 1, buffer.name, differs,
                           prepared->plan());
      }
    }
    if (random.changes.empty()) continue;
    const auto& [uniform, contents] =
        random.changes[static_cast<std::size_t>(i) % random.changes.size()];
    if (const auto set = prepared->set_uniform(uniform, contents); !set) {
      return describe(set.error());
    }
    (*expected)[*ready->find(uniform)] = contents;
  }
  for (const auto& choice : prepared->choices()) {
    if (choice) ++seen["chosen"];
    if (choice && !choice->fused) ++seen["apart"];
  }
  return {};
}

class RandomPipelines : public testing::Test {
 protected:
  // Runs random pipelines on every device, each in these ways.
  using Make = RandomPipeline (*)(std::uint64_t seed);
  void run_all(const SessionOptions& options, const std::vector<Way>& ways, std::uint64_t count,
               Make make = random_pipeline) {
    const std::uint64_t first = number_from("VYRE_PIPELINE_SEED", 1);
    count = number_from("VYRE_PIPELINES", count);
    for (const std::string& device : devices_to_test()) {
      const auto session = Session::open(device, options);
      if (!session && session.error().code == Code::unavailable) continue;
      ASSERT_TRUE(session) << session.error().what;
      for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const RandomPipeline random = make(seed);
        for (const Way& way : ways) {
          ASSERT_EQ(run(*session, random, way, seen), "") << device << ", seed " << seed << "\n"
                                                          << random.text;
        }
      }
    }
    for (const auto& [what, times] : seen) counted += fmt::format("{}: {}\n", what, times);
    if (std::getenv("VYRE_PIPELINES") != nullptr) fmt::print("{}", counted);
  }

  std::map<std::string, int> seen;
  std::string counted;
};

TEST_F(RandomPipelines, FusedAndSeparateLeaveWhatTheInterpreterLeaves) {
  SessionOptions options{.cpu = {.threads = 2}, .code_folder = {}};
  options.tuning.reset();
  run_all(options, {{.name = "fused", .fuse = true}, {.name = "separate", .fuse = false}}, 50);
  if (HasFatalFailure() || std::getenv("VYRE_PIPELINES") != nullptr) return;
  for (const char* what : {"fused", "looped", "exchanged", "temporary", "dropped", "registers"}) {
    EXPECT_GT(seen[what], 0) << counted;
  }
}

TEST_F(RandomPipelines, BandsLeaveWhatTheInterpreterLeaves) {
  for (const unsigned threads : {1U, 2U, 5U}) {
    SessionOptions options{.cpu = {.threads = threads, .band_rows = 4 - std::min(threads, 3U)},
                           .code_folder = {}};
    options.tuning.reset();
    run_all(
        options,
        {{.name = "fused", .fuse = true, .runs = 4}, {.name = "bands", .fuse = false, .runs = 4}},
        20, random_stencils);
    if (HasFatalFailure()) return;
    run_all(options, {{.name = "bands", .fuse = false, .runs = 2}}, 8);
    if (HasFatalFailure()) return;
  }
  if (std::getenv("VYRE_PIPELINES") != nullptr) return;
  for (const char* what : {"banded", "rounds in bands", "looped", "exchanged"}) {
    EXPECT_GT(seen[what], 0) << counted;
  }
}

TEST_F(RandomPipelines, ATunerThatTriesOtherVariantsChangesNothing) {
  SessionOptions options{.cpu = {.threads = 2}, .code_folder = {}};
  options.tuning.emplace();
  options.tuning->mode = TunerMode::natural_gradient;
  options.tuning->compile_at_once = true;
  options.tuning->share = 1;  // of the time: it tries something else at every second call
  run_all(options, {{.name = "tuned", .fuse = true, .runs = 12}}, 12);
  if (HasFatalFailure()) return;
  options.cpu.band_rows = 1;
  run_all(options, {{.name = "tuned, in bands", .fuse = true, .runs = 12}}, 6, random_stencils);
  if (HasFatalFailure() || std::getenv("VYRE_PIPELINES") != nullptr) return;
  EXPECT_GT(seen["chosen"], 5) << counted;
}

}  // namespace
}  // namespace vyre
