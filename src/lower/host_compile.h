// Compiles kernels to machine code for this machine's processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/base/process/abandonable.h"
#include "vyre/ir/kernel.h"
#include "vyre/target/code.h"
#include "vyre/target/variant.h"

namespace vyre {

// Machine code that can be stored and loaded again on a machine with the same host_target().
struct HostObject {
  std::vector<std::byte> object;                     // a relocatable ELF object
  std::uint64_t scratch_bytes = 0, stack_bytes = 0;  // see HostCode
  bool brief = false;                                // see HostCode
};

// The instructions that code may use: those of this processor, or for tests those of older
// processors.
enum class Instructions : std::uint8_t { own, avx2, avx };

struct HostOptions {
  bool wide_offsets = false;  // for launches that bind 2 GiB or more as one buffer
  WorkLimits limits{};        // end compiling when the caller no longer waits
  Instructions instructions = Instructions::own;
};

// The processor with everything that code is made for, in one line: part of a code cache's key.
std::string host_target();
// Lanes of one native f32 vector.
std::uint32_t host_vector_width();
// Changes whenever the same kernel and variant may give different code.
std::string generator_version();

// The gang that suits the code of a kernel best before anything was measured: a native vector;
// fewer lanes where a row of the workgroup is shorter; one lane where lanes loop for different
// times and mostly gather; two vectors where lanes loop for different times and do not gather.
std::uint32_t host_default_gang(const Kernel& kernel);

// Requires a variant that can run the kernel (plan/variants/variant_legality.h).
Result<HostObject> compile_host(const Kernel& kernel, const Variant& variant,
                                const HostOptions& options = {});
Result<HostCode> load_host(const HostObject& object, const WorkLimits& limits = {});

enum class HostText : std::uint8_t { llvm, assembly };
Result<std::string> host_text(const Kernel& kernel, const Variant& variant, HostText what,
                              const HostOptions& options = {});

}  // namespace vyre
