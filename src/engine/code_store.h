// Compiled kernels of one device, found again by what they are made of: in memory, and on disk
// between processes.
//
// On disk a file `<folder>/<key>` holds what code_file_internal.h says. A file that is not exactly
// that is replaced. A folder or file that private_folder.h refuses is left alone, with a warning.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "vyre/base/abandonable.h"
#include "vyre/base/digest.h"
#include "vyre/base/error.h"
#include "vyre/base/fork_watch.h"
#include "vyre/base/shared_cache.h"
#include "vyre/device/device.h"
#include "vyre/ir/kernel.h"
#include "vyre/target/variant.h"

namespace vyre {

enum class CodeSource : std::uint8_t { memory, disk, compiled };

std::string_view to_string(CodeSource source);

// What a dispatch asks of its code beside the variant.
struct CodeOptions {
  bool wide_offsets = false;              // a buffer of 2 GiB or more is bound
  bool check_at_start = false;            // the grid is large: even its start may be late (GPU)
  std::vector<std::uint32_t> by_value{};  // slots of uniforms that come as parameters (on a GPU)
};

struct FoundCode {
  std::shared_ptr<const LoadedCode> code;
  CodeSource source = CodeSource::compiled;
  double load_ns = 0;  // that the device took to load it; 0: it was loaded
};

// How much loaded code that nobody holds a store keeps. The system allows a process 65,530
// mappings, of which code on the CPU takes two.
inline constexpr SharedCacheLimits kIdleCode{.count = 1024, .bytes = std::uint64_t{64} << 20};

class CodeStore {
 public:
  // Without a folder nothing is kept on disk. On a GPU all loaded code is kept, whatever `idle`
  // says: a launch that nobody waited for may still run it.
  CodeStore(std::shared_ptr<Device> device, std::optional<std::filesystem::path> folder,
            SharedCacheLimits idle = kIdleCode);
  ~CodeStore();

  // Thread-safe. A folder that cannot be written costs a warning, not the launch. Within the
  // limits the caller has an answer, whatever is compiled; what was begun may go on behind it.
  Result<FoundCode> find_or_make(const Kernel& kernel, const Variant& variant,
                                 const CodeOptions& options, const WorkLimits& limits = {});
  // The slow part of it alone: afterwards find_or_make has only to load. Device code waits there.
  // Whether that was done before, here or by another process.
  bool keeps(const Kernel& kernel, const Variant& variant, const CodeOptions& options) const;
  Result<void> make_ready(const Kernel& kernel, const Variant& variant, const CodeOptions& options,
                          const WorkLimits& limits = {});
  // The number of codes that are loaded.
  std::size_t loaded() const;
  // Code that someone else made, kept in the form that loads fastest.
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
  SharedCache<Digest, Ready> ready_;  // made, not loaded yet
};

}  // namespace vyre
