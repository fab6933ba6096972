#include "entry.h"

#include "problem.h"
#include "vyre/wgsl/module.h"

namespace vyre::bench {

std::string wgsl_path(const Problem& problem) {
  return problem.wgsl.empty() ? "bench/kernels/wgsl/" + problem.name + ".wgsl" : problem.wgsl;
}

Result<Kernel> kernel_of(std::string text, const std::string& entry) {
  const auto parsed = parse_wgsl(std::move(text), entry + ".wgsl");
  if (!parsed.module) return fail(Code::invalid_input, parsed.message());
  const Program* program = parsed.module->find(entry);
  if (program == nullptr) return fail(Code::invalid_input, "no entry point " + entry);
  return make_kernel(*program);
}

}  // namespace vyre::bench
