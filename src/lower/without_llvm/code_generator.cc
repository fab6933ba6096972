// What stands in for code generation in builds that cannot have LLVM: everything above this room
// works, and compiling fails.
#include "vyre/lower/gpu_compile.h"
#include "vyre/lower/host_compile.h"

namespace vyre {
namespace {

std::unexpected<Error> no_code_generator() {
  return fail(Code::unavailable, "this build has no code generator",
              "use the interpreter, or another build");
}

}  // namespace

std::string host_target() { return "none"; }
std::uint32_t host_vector_width() { return 1; }
std::string generator_version() { return "none"; }
std::uint32_t host_default_gang(const Kernel&) { return 1; }
Result<HostObject> compile_host(const Kernel&, const Variant&, const HostOptions&) {
  return no_code_generator();
}
Result<HostCode> load_host(const HostObject&, const WorkLimits&) { return no_code_generator(); }
Result<std::string> host_text(const Kernel&, const Variant&, HostText, const HostOptions&) {
  return no_code_generator();
}

std::string gpu_generator_version() { return "none"; }
std::vector<ByValue> gpu_by_value(const Kernel&, std::uint32_t) { return {}; }
Result<GpuCode> compile_gpu(const Kernel&, const Variant&, const GpuOptions&) {
  return no_code_generator();
}
Result<std::string> gpu_llvm_text(const Kernel&, const Variant&, const GpuOptions&) {
  return no_code_generator();
}

}  // namespace vyre
