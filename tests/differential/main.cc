// Random programs on a device against the interpreter.
//
//   differential_test [--programs N] [--seed S] [--device NAME] [--variants N] [--no-shrink]
//   differential_test --print I          the program with number I
//   differential_test --file F           a program from a file, in every variant
//
// Programs run in a process of their own, so that one that ends it is found as well.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "check.h"
#include "generator.h"
#include "vyre/base/files.h"

namespace vyre {
namespace {

struct Options {
  std::uint64_t programs = 300, seed = 1, first = 0;
  unsigned variants = 2;
  std::string device = "cpu", file;
  bool shrinks = true, print = false;
};

// Shared with the process that runs the programs.
struct Progress {
  std::uint64_t next = 0;
  std::uint64_t same = 0, rejected = 0, too_long = 0, differs = 0, variants = 0;
  bool done = false, unavailable = false;
};

Subject subject_of(const Options& o, std::uint64_t i) {
  const std::uint64_t seed = o.seed * 1'000'003 + i;
  return {generate(seed).text, seed};
}

void report(const Options& o, std::uint64_t i, const std::string& why) {
  const Subject subject = subject_of(o, i);
  fmt::print("---- program {} of seed {}: {}\n", i, o.seed, why);
  if (!o.shrinks) {
    fmt::print("{}", subject.text);
  } else {
    fmt::print("{}", shrink(o.device, subject, o.variants, 1500));
  }
  std::fflush(stdout);
}

void run_programs(const Options& o, Progress& progress) {
  const auto runner = Runner::open(o.device, 2);
  if (!runner) {
    fmt::print("{}\n", describe(runner.error()));
    progress.unavailable = progress.done = true;
    return;
  }
  while (progress.next < o.first + o.programs) {
    const std::uint64_t i = progress.next;
    const auto outcome = check(*runner, subject_of(o, i), o.variants);
    progress.variants += outcome.variants;
    switch (outcome.verdict) {
      case Verdict::same: ++progress.same; break;
      case Verdict::rejected:
        if (std::getenv("VYRE_SHOW_REJECTED") != nullptr)
          fmt::print("{}: {}\n", i, outcome.message);
        ++progress.rejected;
        break;
      case Verdict::too_long: ++progress.too_long; break;
      case Verdict::differs:
        ++progress.differs;
        report(o, i, outcome.message);
        break;
    }
    ++progress.next;
  }
  progress.done = true;
}

int run_all(const Options& o) {
  void* memory =
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 2;
  auto& progress = *new (memory) Progress;
  progress.next = o.first;
  std::uint64_t ended = 0;
  while (!progress.done && progress.differs + ended < 20) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      run_programs(o, progress);
      std::fflush(stdout);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && progress.done) break;
    ++ended;
    report(o, progress.next, fmt::format("the process ended with status {:#x}", status));
    ++progress.next;
  }
  if (progress.unavailable) {
    fmt::print("device {} is not here: {} programs skipped\n", o.device, o.programs);
    return o.device == "cpu" ? 1 : 0;
  }
  fmt::print(
      "{} programs on {}: {} the same in {} variants, {} rejected, {} too long, {} differ, {} "
      "ended the process\n",
      progress.next - o.first, o.device, progress.same, progress.variants, progress.rejected,
      progress.too_long, progress.differs, ended);
  return progress.differs + ended == 0 && progress.same * 2 > o.programs ? 0 : 1;
}

int run_file(const Options& o) {
  auto text = read_file(o.file);
  const auto runner = Runner::open(o.device, 1);
  if (!text || !runner) {
    fmt::print("{}\n", describe(text ? runner.error() : text.error()));
    return 2;
  }
  const auto outcome = check(*runner, {*std::move(text), o.seed}, 0);
  fmt::print("{} {} variants {}\n", static_cast<int>(outcome.verdict), outcome.variants,
             outcome.message);
  return outcome.verdict == Verdict::same ? 0 : 1;
}

}  // namespace
}  // namespace vyre

int main(int argc, char** argv) {
  vyre::Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "0";
    if (name == "--no-shrink") {
      o.shrinks = false;
      continue;
    }
    ++i;
    if (name == "--programs")
      o.programs = std::strtoull(value, nullptr, 10);
    else if (name == "--seed")
      o.seed = std::strtoull(value, nullptr, 10);
    else if (name == "--first")
      o.first = std::strtoull(value, nullptr, 10);
    else if (name == "--variants")
      o.variants = static_cast<unsigned>(std::strtoul(value, nullptr, 10));
    else if (name == "--device")
      o.device = value;
    else if (name == "--file")
      o.file = value;
    else if (name == "--print")
      o.first = std::strtoull(value, nullptr, 10), o.print = true;
    else {
      fmt::print("unknown option {}\n", name);
      return 2;
    }
  }
  if (o.print) {
    fmt::print("{}", vyre::subject_of(o, o.first).text);
    return 0;
  }
  return o.file.empty() ? vyre::run_all(o) : vyre::run_file(o);
}
