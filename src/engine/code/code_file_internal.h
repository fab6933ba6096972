// Compiled code as bytes of a file.
//
// A file holds: the magic "vyre-code-5\n", the BLAKE3 of what follows (32 bytes), and then, with
// numbers as u64 in little-endian and every piece of text or bytes behind its length:
//
//   host code   0, scratch bytes, stack bytes, 1 if compiled briefly, the ELF object
//   GPU code    1, entry, PTX, cubin, shared bytes asked for at the launch, 1 if compiled
//               briefly, count of parameters, and for each parameter its kind, slot and value
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "vyre/lower/host_compile.h"
#include "vyre/target/code.h"

namespace vyre {

using StoredCode = std::variant<HostObject, GpuCode>;

std::string encode_code(const StoredCode& code);
// Empty when the text is not exactly what encode_code writes.
std::optional<StoredCode> decode_code(std::string_view text);

}  // namespace vyre
