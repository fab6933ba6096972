// Kernels on the CPU beside the same kernels under PoCL, in plain C++ and vectorised by hand.
//
//   kernels_bench [--only NAME[,NAME...]] [--size small|default|large] [--seconds S] [--threads N]
//                 [--clock wall|processor] [--json FILE]
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>

#include "measure.h"
#include "report.h"

namespace vyre::bench {
namespace {

constexpr const char* kUsage =
    "kernels_bench [--only NAME[,NAME...]] [--size small|default|large] [--seconds S] "
    "[--threads N] [--clock wall|processor] [--json FILE]\n";

struct Options {
  std::vector<std::string> names = problem_names();
  Size size = Size::standard;
  double seconds = 2;  // for each kernel
  unsigned threads = 0;
  TimedBy clock = TimedBy::wall;
  std::string json;
};

[[noreturn]] void refuse(const std::string& why) {
  fmt::print(stderr, "kernels_bench: {}\n{}", why, kUsage);
  std::exit(2);
}

std::vector<std::string> chosen_names(std::string_view text) {
  const auto known = problem_names();
  std::vector<std::string> out;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    out.emplace_back(text.substr(0, comma));
    if (std::ranges::find(known, out.back()) == known.end()) {
      refuse(fmt::format("there is no kernel '{}'; there are: {}", out.back(),
                         fmt::join(known, ", ")));
    }
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return out;
}

template <class T>
T number(std::string_view option, std::string_view text, T least, T most) {
  T value{};
  const auto [end, error] = std::from_chars(text.begin(), text.end(), value);
  if (error != std::errc() || end != text.end() || !(value >= least && value <= most)) {
    refuse(fmt::format("{} is '{}'; give a number from {} to {}", option, text, least, most));
  }
  return value;
}

Options parse(int argc, char** argv) {
  Options out;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--help") {
      fmt::print("{}", kUsage);
      std::exit(0);
    }
    if (i + 1 == argc) refuse(fmt::format("'{}' needs a value, or is unknown", option));
    const std::string_view value = argv[++i];
    if (option == "--only") {
      out.names = chosen_names(value);
    } else if (option == "--size") {
      if (value != "small" && value != "default" && value != "large") {
        refuse(fmt::format("--size is '{}'", value));
      }
      out.size = value == "small" ? Size::small : value == "large" ? Size::large : Size::standard;
    } else if (option == "--seconds") {
      out.seconds = number(option, value, 0.0, 3600.0);
    } else if (option == "--threads") {
      out.threads = number(option, value, 1U, 1024U);
    } else if (option == "--clock") {
      if (value != "wall" && value != "processor") refuse(fmt::format("--clock is '{}'", value));
      out.clock = value == "wall" ? TimedBy::wall : TimedBy::processor;
    } else if (option == "--json") {
      out.json = value;
    } else {
      refuse(fmt::format("unknown option '{}'", option));
    }
  }
  if (out.threads == 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    out.threads = sched_getaffinity(0, sizeof set, &set) == 0
                      ? static_cast<unsigned>(std::max(1, CPU_COUNT(&set)))
                      : 1;
  }
  return out;
}

// PoCL and OpenMP read these when they are loaded. Threads of OpenMP that spin after their loop
// would take processors from whoever is timed next.
void settle_environment(unsigned threads, char** argv) {
  const auto text = std::to_string(threads);
  if (const char* set = std::getenv("VYRE_BENCH_THREADS"); set != nullptr && set == text) return;
  setenv("VYRE_BENCH_THREADS", text.c_str(), 1);
  setenv("POCL_MAX_PTHREAD_COUNT", text.c_str(), 1);
  setenv("OMP_WAIT_POLICY", "passive", 1);
  execv("/proc/self/exe", argv);
  refuse("cannot start again with its environment");
}

int run(int argc, char** argv) {
  const Options options = parse(argc, argv);
  settle_environment(options.threads, argv);
  set_native_threads(options.threads);
  Report report;
  report.threads = options.threads;
  report.processor = processor_name();
  report.clock = options.clock;
  for (const std::string& name : options.names) {
    report.kernels.push_back(
        measure(make_problem(name, options.size), options.threads, options.seconds, options.clock));
    print_row(report.kernels.back(), report.kernels.size() == 1);
  }
  report.launch = measure_launch(options.threads);
  print_summary(report);
  if (!options.json.empty()) {
    std::ofstream file(options.json);
    file << to_json(report) << '\n';
    if (!file) refuse(fmt::format("cannot write {}", options.json));
  }
  const bool wrong =
      std::ranges::any_of(report.kernels, [](const Measured& m) { return !m.problem.empty(); });
  return wrong ? 1 : 0;
}

}  // namespace
}  // namespace vyre::bench

int main(int argc, char** argv) { return vyre::bench::run(argc, argv); }
