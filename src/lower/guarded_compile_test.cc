// Memory that runs out in the middle of a compilation: the caller is told, and the process goes on.
// Each case runs in a process of its own.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "vyre/base/process/sanitizers_testing.h"
#include "vyre/ir/builder/builder.h"
#include "vyre/ir/kernel.h"
#include "vyre/lower/guarded_compile_internal.h"

namespace vyre {
namespace {

Kernel branches(int count) {
  ProgramBuilder b("branches", {64, 1, 1});
  Ref y = b.storage("y", b.array(b.f32));
  const Value i = b.global_id().x();
  Ref x = b.var("x", y[i]);
  for (int n = 0; n < count; ++n) {
    b.if_(x > float(n), [&] { x = x * 1.5F + math(MathFn::sin, {x}) + y[i + n]; });
  }
  y[i] = x;
  auto program = std::move(b).build();
  EXPECT_TRUE(program.has_value()) << describe(program.error());
  auto kernel = make_kernel(*std::move(program));
  EXPECT_TRUE(kernel.has_value()) << describe(kernel.error());
  return *std::move(kernel);
}

Variant variant_of(std::uint32_t gang) {
  Variant v;
  v.workgroup = {64, 1, 1};
  v.gang_width = gang;
  return v;
}

// Compiles without the test beforehand whether there is enough memory.
Result<void> compile_for_host(const Kernel& kernel) {
  const auto work = [=] { return unguarded_compile_host(kernel, variant_of(16), {}); };
  VYRE_CHECK(result_of_abandonable("it", work, {}));
  return {};
}
Result<void> compile_for_gpu(const Kernel& kernel) {
  const auto work = [=] { return unguarded_compile_gpu(kernel, variant_of(1), {}); };
  VYRE_CHECK(result_of_abandonable("it", work, {}));
  return {};
}
using Compile = Result<void> (*)(const Kernel&);

void allow_space(std::uint64_t more_bytes) {
  unsigned long long pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%llu", &pages) != 1) _exit(10);
  std::fclose(file);
  const rlimit limit{pages * static_cast<unsigned long>(getpagesize()) + more_bytes, RLIM_INFINITY};
  if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(11);
}

enum Outcome { kDone = 0, kRanOut = 1, kWrong = 2, kNotAfterwards = 3 };

Outcome compile_within(Compile compile, const Kernel& kernel, std::uint64_t more_bytes) {
  malloc_trim(0);
  allow_space(more_bytes);
  const auto compiled = compile(kernel);
  const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
  if (setrlimit(RLIMIT_AS, &none) != 0) _exit(12);
  if (compiled) return kDone;
  if (compiled.error().code != Code::out_of_memory) {
    std::fprintf(stderr, "%s\n", describe(compiled.error()).c_str());
    return kWrong;
  }
  const auto again = compile(kernel);
  if (again) return kRanOut;
  std::fprintf(stderr, "%s\n", describe(again.error()).c_str());
  return kNotAfterwards;
}

struct Count {
  int done = 0, ran_out = 0;
};

Count compile_under_limits(Compile compile, const Kernel& kernel, std::uint64_t step) {
  constexpr int kLimits = 20;
  Count out;
  for (int i = 1; i <= kLimits; ++i) {
    const std::uint64_t more = static_cast<std::uint64_t>(i) * step;
    const auto child = fork();
    if (child == 0) {
      alarm(120);
      _exit(compile_within(compile, kernel, more));
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    const bool exited = WIFEXITED(status);
    EXPECT_TRUE(exited && WEXITSTATUS(status) <= kRanOut)
        << (more >> 10) << " KiB more: " << (exited ? "exit " : "signal ")
        << (exited ? WEXITSTATUS(status) : WTERMSIG(status));
    out.done += exited && WEXITSTATUS(status) == kDone ? 1 : 0;
    out.ran_out += exited && WEXITSTATUS(status) == kRanOut ? 1 : 0;
  }
  return out;
}

// Memory that other tests have freed stays in the heap of their process and would keep it from
// running out. This test therefore runs in a fresh process.
constexpr const char* kFreshProcess = "VYRE_TEST_IN_A_FRESH_PROCESS";

int exit_status_in_a_fresh_process(const char* test) {
  const std::string filter = std::string("--gtest_filter=") + test;
  const auto child = fork();
  if (child == 0) {
    setenv(kFreshProcess, "1", 1);
    execl("/proc/self/exe", "lower_test", filter.c_str(), "--gtest_brief=1", nullptr);
    _exit(127);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(GuardedCompile, ALimitOnMemoryIsAnErrorAndNoMore) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer reserves more address space than any limit leaves";
  if (getenv(kFreshProcess) == nullptr) {
    EXPECT_EQ(exit_status_in_a_fresh_process("GuardedCompile.ALimitOnMemoryIsAnErrorAndNoMore"), 0);
    return;
  }
  mallopt(M_ARENA_MAX, 1);  // memory that is set aside for a thread would not run out
  handle_llvm_failures();
  struct Target {
    Compile compile;
    int small, large;  // programs
  };
  for (const auto& [compile, small, large] :
       {Target{compile_for_host, 1, 8}, Target{compile_for_gpu, 10, 50}}) {
    // The first compilation of a process registers LLVM's passes under a lock. It is not begun
    // without enough memory.
    ASSERT_TRUE(compile(branches(1)));
    const Count of_small = compile_under_limits(compile, branches(small), 32 << 10);
    const Count of_large = compile_under_limits(compile, branches(large), 128 << 10);
    EXPECT_GT(of_small.ran_out + of_large.ran_out, 5);
    EXPECT_GT(of_small.done + of_large.done, 0);
  }
}

TEST(GuardedCompile, WhatMayNotFitIsRefusedBeforehand) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer reserves more address space than any limit leaves";
  const Kernel kernel = branches(12);
  const auto child = fork();
  if (child == 0) {
    allow_space(std::uint64_t{20} << 20);
    const auto host = compile_host(kernel, variant_of(16));
    const auto gpu = compile_gpu(kernel, variant_of(1), {});
    const auto is_refused = [](const auto& result) {
      return !result && result.error().code == Code::out_of_memory &&
             result.error().what.contains("RLIMIT_AS leaves");
    };
    _exit(is_refused(host) && is_refused(gpu) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace vyre
