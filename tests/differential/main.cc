// Random programs on a device against the interpreter.
//
//   differential_test [--programs N] [--seed S] [--device NAME] [--variants N] [--jobs N]
//                     [--seconds N] [--with TEXT] [--no-shrink]
//
// --with: runs only those of the N programs that contain the text, such as "= subgroup".
//
//   differential_test --print I          the program with number I
//   differential_test --file F           a program from a file, in every variant
//
// Programs run in a process of their own, so that one that ends it is found as well.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "check.h"
#include "generator.h"
#include "vyre/base/files/files.h"

namespace vyre {
namespace {

using Clock = std::chrono::steady_clock;
const Clock::time_point kBegin = Clock::now();

struct Options {
  std::uint64_t programs = 300, seed = 1, first = 0, jobs = 1, seconds = 0;
  unsigned variants = 2;
  bool variants_given = false;
  std::string device = "cpu", file, with;
  bool shrinks = true, print = false;
};

// Shared with the process that runs the programs.
struct Progress {
  std::uint64_t next = 0;
  std::uint64_t same = 0, rejected = 0, too_long = 0, differs = 0, variants = 0, ended = 0;
  bool done = false, unavailable = false;
};

Subject subject_of(const Options& o, std::uint64_t i) {
  const std::uint64_t seed = o.seed * 1'000'003 + i;
  return {generate(seed, o.device == "cpu").text, seed};
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
  for (; progress.next < o.first + o.programs; progress.next += o.jobs) {
    if (o.seconds != 0 && Clock::now() > kBegin + std::chrono::seconds(o.seconds)) break;
    const std::uint64_t i = progress.next;
    const Subject subject = subject_of(o, i);
    if (!subject.text.contains(o.with)) continue;
    const auto outcome = check(*runner, subject, o.variants);
    progress.variants += outcome.variants;
    switch (outcome.verdict) {
      case CheckVerdict::same: ++progress.same; break;
      case CheckVerdict::rejected: ++progress.rejected; break;
      case CheckVerdict::too_long: ++progress.too_long; break;
      case CheckVerdict::differs:
        ++progress.differs;
        report(o, i, outcome.message);
        break;
    }
  }
  progress.done = true;
}

// One of o.jobs processes that share the programs; it starts again behind one that ended it.
void run_job(const Options& o, Progress& progress) {
  constexpr std::uint64_t kEnough = 10;
  while (!progress.done && progress.differs + progress.ended < kEnough) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      run_programs(o, progress);
      std::fflush(stdout);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (progress.done) return;
    ++progress.ended;
    report(o, progress.next, fmt::format("the process ended with status {:#x}", status));
    progress.next += o.jobs;
  }
}

int run_all(const Options& o) {
  void* memory = mmap(nullptr, sizeof(Progress) * o.jobs, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 2;
  auto* jobs = static_cast<Progress*>(memory);
  std::vector<pid_t> children;
  for (std::uint64_t j = 0; j < o.jobs; ++j) {
    new (jobs + j) Progress;
    jobs[j].next = o.first + j;
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      run_job(o, jobs[j]);
      _exit(0);
    }
    children.push_back(child);
  }
  Progress all;
  for (std::uint64_t j = 0; j < o.jobs; ++j) {
    waitpid(children[j], nullptr, 0);
    all.same += jobs[j].same;
    all.rejected += jobs[j].rejected;
    all.too_long += jobs[j].too_long;
    all.differs += jobs[j].differs;
    all.variants += jobs[j].variants;
    all.ended += jobs[j].ended;
    all.unavailable = all.unavailable || jobs[j].unavailable;
  }
  if (all.unavailable) {
    fmt::print("device {} is not here: {} programs skipped\n", o.device, o.programs);
    return o.device == "cpu" ? 1 : 0;
  }
  fmt::print(
      "{} programs on {}: {} the same in {} variants, {} rejected, {} too long, {} differ, {} "
      "ended the process\n",
      all.same + all.rejected + all.too_long + all.differs + all.ended, o.device, all.same,
      all.variants, all.rejected, all.too_long, all.differs, all.ended);
  return all.differs + all.ended == 0 && all.same > all.rejected + all.too_long ? 0 : 1;
}

int run_file(const Options& o) {
  auto text = read_file(o.file);
  const auto runner = Runner::open(o.device, 1);
  if (!text || !runner) {
    fmt::print("{}\n", describe(text ? runner.error() : text.error()));
    return 2;
  }
  const auto outcome =
      check(*runner, {*std::move(text), o.seed}, o.variants_given ? o.variants : 0);
  fmt::print("{} {} variants {}\n", static_cast<int>(outcome.verdict), outcome.variants,
             outcome.message);
  return outcome.verdict == CheckVerdict::same ? 0 : 1;
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
      o.variants = static_cast<unsigned>(std::strtoul(value, nullptr, 10)), o.variants_given = true;
    else if (name == "--jobs")
      o.jobs = std::max<std::uint64_t>(std::strtoull(value, nullptr, 10), 1);
    else if (name == "--seconds")
      o.seconds = std::strtoull(value, nullptr, 10);
    else if (name == "--device")
      o.device = value;
    else if (name == "--with")
      o.with = value;
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
