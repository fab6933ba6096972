// Compiled kernels, found again by what they are made of: in memory, and on disk between processes.
//
// A file `code/<key>` holds: the magic "vyre-code-1\n", the scratch bytes (u64, little-endian), the
// BLAKE3 of what follows (32 bytes), and the object. A file that is not exactly that is replaced.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "vyre/base/digest.h"
#include "vyre/base/error.h"
#include "vyre/ir/kernel.h"
#include "vyre/target/code.h"
#include "vyre/target/variant.h"

namespace vyre {

enum class CodeSource : std::uint8_t { memory, disk, compiled };

struct FoundCode {
  std::shared_ptr<const HostCode> code;
  CodeSource source = CodeSource::compiled;
};

class CodeStore {
 public:
  // Without a folder nothing is kept on disk.
  explicit CodeStore(std::optional<std::filesystem::path> folder) : folder_(std::move(folder)) {}

  // Thread-safe. A folder that cannot be written costs a warning, not the launch.
  Result<FoundCode> host_code(const Kernel& kernel, const Variant& variant, bool wide_offsets);

 private:
  std::optional<std::filesystem::path> folder_;
  std::mutex mutex_;
  std::map<Digest, std::shared_ptr<const HostCode>> loaded_;
};

// Program, variant, target and generator: all that decides the code.
Digest host_code_key(const Kernel& kernel, const Variant& variant, bool wide_offsets);

}  // namespace vyre
