// Kernels on the CPU beside the same kernels under PoCL, in plain C++ and vectorised by hand.
//
//   kernels_bench [--only NAME[,NAME...]] [--size small|default|large] [--seconds S] [--threads N]
//                 [--clock wall|processor] [--json FILE]
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "arguments.h"
#include "environment.h"
#include "measure.h"
#include "report.h"
#include "sides.h"

namespace vyre::bench {
namespace {

constexpr const char* kUsage =
    "kernels_bench [--only NAME[,NAME...]] [--size small|default|large] [--seconds S] "
    "[--threads N] [--clock wall|processor] [--json FILE]";

struct Options {
  std::vector<std::string> names = problem_names();
  Size size = Size::standard;
  double seconds = 2;  // for each kernel
  unsigned threads = 0;
  TimedBy clock = TimedBy::wall;
  std::string json;
};

Options parse(Arguments arguments) {
  const std::vector<std::string> sizes = {"small", "default", "large"};
  const std::vector<std::string> clocks = {"wall", "processor"};
  Options out;
  while (arguments.next()) {
    const std::string_view option = arguments.option();
    if (option == "--only") {
      out.names = arguments.names(problem_names());
    } else if (option == "--size") {
      const std::string size = arguments.name(sizes);
      out.size = size == "small" ? Size::small : size == "large" ? Size::large : Size::standard;
    } else if (option == "--seconds") {
      out.seconds = arguments.number(0.0, 3600.0);
    } else if (option == "--threads") {
      out.threads = arguments.number(1U, 1024U);
    } else if (option == "--clock") {
      out.clock = arguments.name(clocks) == "wall" ? TimedBy::wall : TimedBy::processor;
    } else if (option == "--json") {
      out.json = arguments.value();
    } else {
      arguments.refuse_option();
    }
  }
  if (out.threads == 0) out.threads = usable_processors();
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
  const Options options = parse(arguments);
  settle_environment(arguments, options.threads, argv);
  set_native_threads(options.threads);
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
  if (!options.json.empty()) {
    std::ofstream file(options.json);
    file << to_json(report) << '\n';
    if (!file) arguments.refuse(fmt::format("cannot write {}", options.json));
  }
  const bool wrong =
      std::ranges::any_of(report.kernels, [](const Measured& m) { return !m.problem.empty(); });
  return wrong ? 1 : 0;
}

}  // namespace
}  // namespace vyre::bench

int main(int argc, char** argv) { return vyre::bench::run(argc, argv); }
