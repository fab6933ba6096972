#include <execinfo.h>
#include <fmt/format.h>
#include <llvm/Support/ErrorHandling.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>

#include "vyre/base/memory/memory_promise.h"
#include "vyre/base/process/abandonable.h"
#include "vyre/lower/call_plan_internal.h"
#include "vyre/lower/guarded_compile_internal.h"

namespace vyre {
namespace {

// The memory that a compilation may take, measured as the growth of the peak of resident memory,
// for 10 to 10,000 statements of arithmetic, sines, branches, loops, barriers, matrices and arrays:
//   a kernel of 30 nodes                   10 MiB for the host (of which 6 are code),  7 for PTX
//   the full pipeline, loops the worst     at most 36 KiB a node for the host,         4 for PTX
//   the brief pipeline, loops the worst    at most 3.3 KiB a node for the host,        0.9 for PTX
// The full pipeline serves up to some 3,000 nodes, and took 124 MiB at most. The stack comes on
// top.
constexpr std::uint64_t kLeastBytes = std::uint64_t{36} << 20;
constexpr std::uint64_t kBytesOfNode = 5 << 10;
constexpr std::uint64_t kBytesOfNodeInFull = 40 << 10;
constexpr std::uint64_t kMostBytesInFull = std::uint64_t{160} << 20;

[[noreturn]] void give_up(Code code, std::string_view reason) {
  abandon_work({code, fmt::format("the code generator gave up: {}", reason), {}});
}

void on_bad_alloc(void*, const char* reason, bool) {
  if (is_in_abandonable_work()) give_up(Code::out_of_memory, reason);
  std::abort();  // this is not our work, so do what LLVM does without a handler
}

void on_fatal_error(void*, const char* reason, bool) {
  // For other users of the same LLVM the handler returns, and LLVM ends the process as always.
  if (!is_in_abandonable_work()) return;
  const bool is_memory = std::string_view(reason).find("llocat") != std::string_view::npos;
  give_up(is_memory ? Code::out_of_memory : Code::internal, reason);
}

std::uint64_t most_bytes_for(const Program& program) {
  const auto calls = plan_calls(program);
  const std::uint64_t nodes =
      program.exprs.size() + program.stmts.size() + (calls ? calls->nodes : 0);
  return kLeastBytes + nodes * kBytesOfNode +
         std::min(nodes * kBytesOfNodeInFull, kMostBytesInFull);
}

// LLVM reports memory that it could not map as an error of its own.
template <class T>
Result<T> with_code_of_memory(Result<T> result) {
  if (!result && result.error().code == Code::internal &&
      result.error().what.contains(std::strerror(ENOMEM))) {
    result.error().code = Code::out_of_memory;
  }
  return result;
}

template <class Work>
auto guarded(std::string_view what, const WorkLimits& limits, Work work) -> decltype(work()) {
  handle_llvm_failures();
  return with_code_of_memory(result_of_abandonable(what, std::move(work), limits));
}

template <class Work>
auto guarded(const Kernel& kernel, const WorkLimits& limits, Work work) -> decltype(work()) {
  const std::string what = fmt::format("compiling kernel '{}'", kernel.program->name);
  VYRE_TRY(const auto promised, promise_memory(most_bytes_for(*kernel.program), what, limits));
  return guarded(what, limits, [promised, work = std::move(work)] { return work(); });
}

}  // namespace

Result<HostObject> compile_host(const Kernel& kernel, const Variant& variant,
                                const HostOptions& options) {
  return guarded(kernel, options.limits,
                 [=] { return unguarded_compile_host(kernel, variant, options); });
}

Result<HostCode> load_host(const HostObject& object, const WorkLimits& limits) {
  return guarded("loading a kernel", limits, [=] { return unguarded_load_host(object); });
}

Result<std::string> host_text(const Kernel& kernel, const Variant& variant, HostText what,
                              const HostOptions& options) {
  return guarded(kernel, options.limits,
                 [=] { return unguarded_host_text(kernel, variant, what, options); });
}

Result<GpuCode> compile_gpu(const Kernel& kernel, const Variant& variant,
                            const GpuOptions& options) {
  return guarded(kernel, options.limits,
                 [=] { return unguarded_compile_gpu(kernel, variant, options); });
}

Result<std::string> gpu_llvm_text(const Kernel& kernel, const Variant& variant,
                                  const GpuOptions& options) {
  return guarded(kernel, options.limits,
                 [=] { return unguarded_gpu_llvm_text(kernel, variant, options); });
}

void handle_llvm_failures() {
  static std::once_flag once;
  std::call_once(once, [] {
    // An exception that passes through call_once, which LLVM uses, makes the C library load the
    // unwinder, and end the process where it cannot. A backtrace loads it beforehand.
    void* caller = nullptr;
    backtrace(&caller, 1);
    llvm::install_bad_alloc_error_handler(on_bad_alloc);
    llvm::install_fatal_error_handler(on_fatal_error);
  });
}

void skip_passes_when_unwanted(llvm::PassInstrumentationCallbacks& callbacks) {
  callbacks.registerShouldRunOptionalPassCallback(
      [](llvm::StringRef, llvm::Any) { return !is_work_unwanted(); });
}

}  // namespace vyre
