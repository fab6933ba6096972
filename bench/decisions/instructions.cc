#include "instructions.h"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

// Callgrind collects between the entry to this function and its return.
extern "C" [[gnu::noinline]] void vyre_counted_calls(void (*run)(std::uint64_t),
                                                     std::uint64_t calls) {
  run(calls);
  asm volatile("");
}

namespace vyre {
namespace {

constexpr std::uint64_t kCountedCalls = 1000;

// The number behind "Collected :" in callgrind's report.
std::optional<std::uint64_t> collected(const std::string& report) {
  constexpr std::string_view kMark = "Collected :";
  const auto at = report.rfind(kMark);
  if (at == std::string::npos) return std::nullopt;
  return std::strtoull(report.c_str() + at + kMark.size(), nullptr, 10);
}

// The counted program gets no environment variables but PATH and valgrind's own. It reads the
// tuner's mode by getenv, which walks over all variables: their number would be part of the count.
std::optional<std::uint64_t> count_instructions(const DecisionCase& decision, const char* program) {
  const std::string command =
      "env -i PATH=\"$PATH\" valgrind --tool=callgrind --callgrind-out-file=/dev/null "
      "--collect-atstart=no --toggle-collect=vyre_counted_calls '" +
      std::string(program) + "' --count '" + std::string(decision.name) + "' 2>&1";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string report;
  char buffer[4096];
  while (const std::size_t read = std::fread(buffer, 1, sizeof buffer, pipe))
    report.append(buffer, read);
  if (::pclose(pipe) != 0) return std::nullopt;
  const auto total = collected(report);
  if (!total) return std::nullopt;
  return *total / kCountedCalls;
}

}  // namespace

int run_counted(const DecisionCase& decision, std::uint64_t calls) {
  if (!decision.prepare()) {
    std::fprintf(stderr, "%s: wrong result\n", std::string(decision.name).c_str());
    return 1;
  }
  decision.run(200);
  vyre_counted_calls(decision.run, calls == 0 ? kCountedCalls : calls);
  return 0;
}

int print_instruction_table(std::span<const DecisionCase> cases, const char* program) {
  if (std::system("valgrind --version >/dev/null 2>&1") != 0) {
    std::printf("instructions per call: not counted, valgrind is not installed\n");
    return 0;
  }
  int above = 0;
  std::printf("%-40s %10s %10s %8s\n", "instructions per call (callgrind)", "ceiling", "ours",
              "ratio");
  for (const DecisionCase& decision : cases) {
    if (!decision.ceiling) continue;
    const std::string name(decision.name);
    const auto ours = count_instructions(decision, program);
    if (!ours) {
      std::printf("%-40s %10llu %10s\n", name.c_str(),
                  static_cast<unsigned long long>(*decision.ceiling), "failed");
      ++above;
      continue;
    }
    above += *ours > *decision.ceiling;
    std::printf("%-40s %10llu %10llu %8.2f\n", name.c_str(),
                static_cast<unsigned long long>(*decision.ceiling),
                static_cast<unsigned long long>(*ours),
                static_cast<double>(*ours) / static_cast<double>(*decision.ceiling));
    std::fflush(stdout);
  }
  return above;
}

}  // namespace vyre
