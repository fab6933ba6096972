#include <fmt/format.h>
#include <llvm/Support/ErrorHandling.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>

#include "vyre/base/abandonable.h"
#include "vyre/base/memory_headroom.h"
#include "vyre/lower/guarded_compile_internal.h"

namespace vyre {
namespace {

// What a compilation takes at most, as measured: LLVM's own tables, and for each node of a program
// and lane of its gang what becomes of it.
constexpr std::uint64_t kLeastBytes = std::uint64_t{48} << 20;
constexpr std::uint64_t kBytesOfNode = 16 << 10;

[[noreturn]] void give_up(Code code, std::string_view reason) {
  abandon_work({code, fmt::format("the code generator gave up: {}", reason), {}});
}

void on_bad_alloc(void*, const char* reason, bool) {
  if (is_in_abandonable_work()) give_up(Code::out_of_memory, reason);
  std::abort();  // not our work: as LLVM does without a handler
}

void on_fatal_error(void*, const char* reason, bool) {
  // For other users of the same LLVM the handler returns, and LLVM ends the process as always.
  if (!is_in_abandonable_work()) return;
  const bool is_memory = std::string_view(reason).find("llocat") != std::string_view::npos;
  give_up(is_memory ? Code::out_of_memory : Code::internal, reason);
}

void install_handlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::install_bad_alloc_error_handler(on_bad_alloc);
    llvm::install_fatal_error_handler(on_fatal_error);
  });
}

Result<void> check_memory(const Kernel& kernel) {
  const std::uint64_t needed = kLeastBytes + kernel.stats.nodes * kBytesOfNode;
  const MemoryHeadroom left = memory_headroom();
  if (left.bytes >= needed) return {};
  return fail(Code::out_of_memory,
              fmt::format("compiling kernel '{}' may take {} MiB, and {} leaves {} MiB",
                          kernel.program->name, needed >> 20, left.limit, left.bytes >> 20),
              "raise the limit");
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
auto guarded(const WorkLimits& limits, Work work) -> decltype(work()) {
  install_handlers();
  return with_code_of_memory(result_of_abandonable(std::move(work), limits));
}

template <class Work>
auto guarded(const Kernel& kernel, const WorkLimits& limits, Work work) -> decltype(work()) {
  VYRE_CHECK(check_memory(kernel));
  return guarded(limits, std::move(work));
}

}  // namespace

Result<HostObject> compile_host(const Kernel& kernel, const Variant& variant,
                                const HostOptions& options) {
  return guarded(kernel, options.limits,
                 [=] { return unguarded_compile_host(kernel, variant, options); });
}

Result<HostCode> load_host(const HostObject& object) {
  return guarded({}, [=] { return unguarded_load_host(object); });
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

void skip_passes_when_unwanted(llvm::PassInstrumentationCallbacks& callbacks) {
  callbacks.registerShouldRunOptionalPassCallback(
      [](llvm::StringRef, llvm::Any) { return !is_work_unwanted(); });
}

}  // namespace vyre
