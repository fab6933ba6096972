// Kernels on the CPU beside the same kernels under PoCL, in plain C++ and vectorised by hand.
//
//   kernels_bench [--only NAME[,NAME...]] [--size small|default|large] [--seconds S] [--threads N]
//                 [--clock wall|processor] [--json FILE]
#include <algorithm>

#include "environment.h"
#include "report.h"
#include "run_options.h"
#include "sides.h"

namespace vyre::bench {
namespace {

constexpr const char* kUsage =
    "kernels_bench [--only NAME[,NAME...]] [--size small|default|large] [--seconds S] "
    "[--threads N] [--clock wall|processor] [--json FILE]";

struct Options : RunOptions {
  Options() { seconds = 2; }
  std::vector<std::string> names = problem_names();
};

Options parse(Arguments arguments) {
  Options out;
  while (arguments.next()) {
    if (arguments.option() == "--only") {
      out.names = arguments.names(problem_names());
    } else if (!out.take(arguments)) {
      arguments.refuse_option();
    }
  }
  return out;
}

Sides make_sides(const Problem& p, unsigned threads) {
  Sides out;
  out[kVyre] = make_vyre_side(p, threads);
  out[kPocl] = make_pocl_side(p);
  const NativeSides native = native_sides(p.name);
  out[kPlain] = make_native_side(p, native.plain);
  if (native.ceiling != nullptr) out[kCeiling] = make_native_side(p, native.ceiling);
  return out;
}

int run(int argc, char** argv) {
  const Arguments arguments("kernels_bench", kUsage, argc, argv);
  Options options = parse(arguments);
  options.settle(arguments, argv);
  Report report;
  report.threads = options.threads;
  report.processor = processor_name();
  report.clock = options.clock;
  for (const std::string& name : options.names) {
    const Problem problem = make_problem(name, options.size);
    report.kernels.push_back(
        measure(problem, make_sides(problem, options.threads), options.seconds, options.clock));
    print_row(report.kernels.back(), report.kernels.size() == 1);
  }
  report.launch = measure_launch(options.threads);
  print_summary(report);
  arguments.write_json(options.json, to_json(report));
  const bool wrong =
      std::ranges::any_of(report.kernels, [](const Measured& m) { return !m.problem.empty(); });
  return wrong ? 1 : 0;
}

}  // namespace
}  // namespace vyre::bench

int main(int argc, char** argv) {
  return vyre::bench::run_benchmark("kernels_bench", vyre::bench::run, argc, argv);
}
