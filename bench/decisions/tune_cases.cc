#include <vector>

#include "cases.h"
#include "vyre/base/digest.h"
#include "vyre/fuse/launch_fusion.h"
#include "vyre/tune/decisions/decision_keys.h"
#include "vyre/tune/decisions/natural_gradient_step.h"
#include "vyre/tune/online/online_tuner.h"

namespace vyre {
namespace {

// Seven powers of two from 32, with times from 9,000 to 10,000 ns, and the identity.
struct Step {
  Step() {
    for (std::uint32_t i = 0; i < 7; ++i)
      measurements.push_back({{32u << i, 1, 1}, 10'000 - 1'000 * i / 6});
  }
  std::vector<Measurement> measurements;
  std::vector<std::uint32_t> matrix = identity_matrix_q16(7);
  std::vector<std::uint32_t> weights = std::vector<std::uint32_t>(7);
  std::vector<std::uint32_t> gradient = std::vector<std::uint32_t>(7);
};

Step& step() {
  static Step it;
  return it;
}

auto suggest_once() {
  Step& s = step();
  return suggest(NaturalGradientPolicy{}, s.measurements, s.matrix, s.weights, s.gradient);
}
bool prepare_step() {
  const auto suggested = suggest_once();
  std::uint32_t sum = 0;
  for (const std::uint32_t weight : step().weights) sum += weight;
  return suggested && suggested->selected == Extent{2048, 1, 1} && sum == kQ16One;
}
void run_step(std::uint64_t calls) {
  for (std::uint64_t i = 0; i < calls; ++i) keep(suggest_once());
}

// Stages in layouts of seven, every 31st flagged.
std::vector<FusionStage> stage_list(std::size_t count) {
  std::vector<FusionStage> stages;
  stages.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    stages.push_back({.id = i,
                      .layout_hash = i / 7,
                      .input_bytes = 256,
                      .output_bytes = 256,
                      .scratch_bytes = 64,
                      .needs_host_materialization = i % 31 == 30});
  }
  return stages;
}

constexpr std::uint64_t kBudget = 4096;

template <std::size_t kStages>
struct Fusion {
  static inline std::vector<FusionStage> stages;
  static inline FusionScratch scratch;
  static inline FusionPlan plan;

  static bool prepare() {
    stages = stage_list(kStages);
    if (!plan_launch_fusion(stages, kBudget, scratch, plan)) return false;
    std::size_t next = 0;
    for (const FusionGroup& group : plan.groups) {
      if (group.first_stage != next || group.required_bytes > kBudget) return false;
      next += group.stage_count;
    }
    return next == kStages && plan.launch_count + plan.avoided_launches == kStages;
  }
  static void run(std::uint64_t calls) {
    for (std::uint64_t i = 0; i < calls; ++i) {
      keep(plan_launch_fusion(stages, kBudget, scratch, plan));
      keep(plan);
    }
  }
  static void run_fresh(std::uint64_t calls) {
    for (std::uint64_t i = 0; i < calls; ++i) keep(plan_launch_fusion(stages, kBudget));
  }
};

const Digest& fingerprint_of_program() {
  static const Digest digest = digest_of("one u32 output");
  return digest;
}
const ProgramShape kShape{{32, 1, 1}, std::nullopt, 16'384};

bool prepare_key() {
  return program_key(fingerprint_of_program(), kShape).view().starts_with("v1-");
}
void run_key(std::uint64_t calls) {
  for (std::uint64_t i = 0; i < calls; ++i) keep(program_key(fingerprint_of_program(), kShape));
}

// Two candidates, the first of which is twice as fast.
OnlineTuner& settled_tuner() {
  static OnlineTuner tuner({}, {{"a=1", 1}, {"a=2", 2}}, 0, TunerMode::natural_gradient, {},
                           nullptr);
  return tuner;
}
OnlineStep ask_and_report() {
  const OnlineStep step = settled_tuner().next();
  if (step.timed) settled_tuner().report(step, 1e6 * (1 + step.candidate));
  return step;
}
bool prepare_question() {
  for (int i = 0; i < 10'000 && !settled_tuner().settled(); ++i) ask_and_report();
  return settled_tuner().settled() && settled_tuner().best() == 0;
}
void run_question(std::uint64_t calls) {
  for (std::uint64_t i = 0; i < calls; ++i) keep(ask_and_report());
}

constexpr DecisionCase kCases[] = {
    {"natural-gradient step, 7 candidates", 2'695, prepare_step, run_step},
    {"settled tuner's answer, one in 64 timed", std::nullopt, prepare_question, run_question},
    {"program key", 3'882, prepare_key, run_key},
    {"fusion plan, 64 stages", 11'702, Fusion<64>::prepare, Fusion<64>::run},
    {"fusion plan, 64 stages, fresh storage", 11'702, Fusion<64>::prepare, Fusion<64>::run_fresh},
    {"fusion plan, 1,000 stages", std::nullopt, Fusion<1'000>::prepare, Fusion<1'000>::run},
    {"fusion plan, 100,000 stages", std::nullopt, Fusion<100'000>::prepare, Fusion<100'000>::run},
    {"fusion plan, 1,000,000 stages", std::nullopt, Fusion<1'000'000>::prepare,
     Fusion<1'000'000>::run},
};

}  // namespace

std::span<const DecisionCase> tune_cases() { return kCases; }

}  // namespace vyre
