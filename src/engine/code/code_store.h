// Compiled kernels of one device, found again by what they are made of: in memory, and on disk
// between processes.
//
// On disk, `<folder>/<key>` holds the code in the format of code_file_internal.h. A file in any
// other format is replaced. A folder or file that private_folder.h refuses is left alone, with a
// warning.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "vyre/base/digest.h"
#include "vyre/base/error.h"
#include "vyre/base/memory/shared_cache.h"
#include "vyre/base/process/abandonable.h"
#include "vyre/base/process/fork_watch.h"
#include "vyre/device/device.h"
#include "vyre/ir/kernel.h"
#include "vyre/target/variant.h"

namespace vyre {

enum class CodeSource : std::uint8_t { memory, disk, compiled };

std::string_view to_string(CodeSource source);

// What a dispatch requires of its code, apart from the variant.
struct CodeOptions {
  bool wide_offsets = false;              // a buffer of 2 GiB or more is bound
  bool check_at_start = false;            // the grid is large: even its start may be late (GPU)
  std::vector<std::uint32_t> by_value{};  // slots of uniforms that come as parameters (on a GPU)
};

struct FoundCode {
  std::shared_ptr<const LoadedCode> code;
  CodeSource source = CodeSource::compiled;
  double load_ns = 0;  // what the device took to load it; 0: it was loaded before
};

// How much loaded code a store keeps while nobody uses it. The system allows a process 65,530
// mappings, of which code on the CPU takes two.
inline constexpr SharedCacheLimits kIdleCode{.count = 1024, .bytes = std::uint64_t{64} << 20};

class CodeStore {
 public:
  // Without a folder nothing is kept on disk. On a GPU all loaded code is kept, whatever `idle`
  // says: a launch that nobody waited for may still run it.
  CodeStore(std::shared_ptr<Device> device, std::optional<std::filesystem::path> folder,
            SharedCacheLimits idle = kIdleCode);
  ~CodeStore();

  // Thread-safe. If the folder cannot be written, a warning is logged and the launch goes on. The
  // call returns within the limits; a compilation that it has begun may continue after that.
  Result<FoundCode> find_or_make(const Kernel& kernel, const Variant& variant,
                                 const CodeOptions& options, const WorkLimits& limits = {});
  // Only compiles, which is the slow part of find_or_make: afterwards that has only to load.
  Result<void> make_ready(const Kernel& kernel, const Variant& variant, const CodeOptions& options,
                          const WorkLimits& limits = {});
  // Whether the code was compiled before, by this process or by another one.
  bool keeps(const Kernel& kernel, const Variant& variant, const CodeOptions& options) const;
  // The number of compiled kernels that are loaded.
  std::size_t loaded() const;
  // Loads code that the caller compiled, and keeps it in the form that loads fastest.
  Result<FoundCode> load_own(const GpuCode& code);

 private:
  struct Ready;
  std::optional<FoundCode> find_loaded(const Digest& key);
  Result<Ready> make(const Digest& key, const Kernel& kernel, const Variant& variant,
                     const CodeOptions& options, const WorkLimits& limits);
  Result<FoundCode> put(const Digest& key, std::shared_ptr<const LoadedCode> code,
                        std::uint64_t bytes, CodeSource source);

  std::shared_ptr<Device> device_;
  std::optional<std::filesystem::path> folder_;
  mutable ForkSafeMutex mutex_;
  SharedCache<Digest, const LoadedCode> loaded_;
  SharedCache<Digest, Ready> ready_;  // compiled, but not loaded yet
};

}  // namespace vyre
