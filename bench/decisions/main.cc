// Times the decisions on the launch path, and counts their instructions beside the ceilings.
//
//   decisions_bench [Google Benchmark's options]   times, then the table of instructions
//   decisions_bench --instructions                 the table alone; exit 1 if a ceiling is passed
//   decisions_bench --count NAME [CALLS]           the calls of one case, for callgrind
//
// Every case checks its result before it is measured.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "instructions.h"

namespace vyre {
namespace {

std::vector<DecisionCase> all_cases() {
  std::vector<DecisionCase> all;
  for (const auto cases : {tune_cases(), plan_cases(), resident_cases()})
    all.insert(all.end(), cases.begin(), cases.end());
  return all;
}

void time_case(benchmark::State& state, const DecisionCase& decision) {
  if (!decision.prepare()) {
    state.SkipWithError("wrong result");
    return;
  }
  for ([[maybe_unused]] const auto iteration : state) decision.run(1);
}

int count_case(const std::vector<DecisionCase>& cases, std::string_view name, const char* calls) {
  for (const DecisionCase& decision : cases) {
    if (decision.name == name)
      return run_counted(decision, calls == nullptr ? 0 : std::strtoull(calls, nullptr, 10));
  }
  std::fprintf(stderr, "there is no case \"%s\"\n", std::string(name).c_str());
  return 2;
}

int run(int argc, char** argv) {
  const std::vector<DecisionCase> cases = all_cases();
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "--count" && argc > 2)
    return count_case(cases, argv[2], argc > 3 ? argv[3] : nullptr);
  if (first == "--instructions") return print_instruction_table(cases, argv[0]) > 0 ? 1 : 0;

  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const DecisionCase& decision : cases) {
    benchmark::RegisterBenchmark(
        std::string(decision.name).c_str(),
        [&decision](benchmark::State& state) { time_case(state, decision); });
  }
  benchmark::RunSpecifiedBenchmarks();
  print_instruction_table(cases, argv[0]);
  return 0;
}

}  // namespace
}  // namespace vyre

int main(int argc, char** argv) { return vyre::run(argc, argv); }
