// vyre run --emit: the text of a kernel's code.
#pragma once

#include <string>
#include <string_view>

#include "vyre/base/error.h"
#include "vyre/cli/run/run.h"

namespace vyre {

// "llvm", "asm": what --emit takes for any device.
std::string emit_words();
bool is_emit_word(std::string_view word);

// Makes the code as a run would, prints it, or writes it to the file of --emit-to.
Exit emit_command(const RunOptions& options, const Kernel& kernel, Streams& streams);

}  // namespace vyre
