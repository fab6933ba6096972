#include "vyre/engine/code/code_store.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>

#include "vyre/base/files/disk_wait.h"
#include "vyre/base/files/private_folder.h"
#include "vyre/engine/code/code_file_internal.h"
#include "vyre/lower/gpu_compile.h"
#include "vyre/lower/host_compile.h"

namespace vyre {
namespace {

constexpr std::uint64_t kMaxFile = std::uint64_t{64} << 20;

// A digest of everything that the code depends on: program, variant, target and generator.
Digest key_of(const Kernel& kernel, const Variant& variant, const Target& target,
              const CodeOptions& options) {
  const bool host = target.kind == TargetKind::host;
  Hasher hasher;
  const auto text = [&](std::string_view s) { hasher.update_u64(s.size()).update(s); };
  text("vyre-code-v5");
  hasher.update(kernel.fingerprint);
  Variant coded = variant;
  coded.groups_per_task = 1;  // it concerns the launch, not the code
  text(to_string(coded));
  text(host ? host_target() : to_string(target));
  text(host ? generator_version() : gpu_generator_version());
  hasher.update_u8(options.wide_offsets ? 1 : 0);
  hasher.update_u8(options.check_at_start ? 1 : 0);
  for (const std::uint32_t slot : options.by_value) hasher.update_u64(slot);
  return hasher.finish();
}

// The driver's compiler cannot be stopped, but the caller need not wait for it.
Result<StoredCode> finish(const std::shared_ptr<Device>& device, const GpuCode& code,
                          const WorkLimits& limits) {
  VYRE_TRY(DeviceCode finished,
           result_of_abandonable("compiling PTX", [=] { return device->finish(code); }, limits));
  return std::get<GpuCode>(std::move(finished));
}

Result<StoredCode> make_code(const Kernel& kernel, const Variant& variant,
                             const std::shared_ptr<Device>& device, const CodeOptions& options,
                             const WorkLimits& limits) {
  const Target target = device->target();
  if (target.kind == TargetKind::host) {
    return compile_host(kernel, variant, {.wide_offsets = options.wide_offsets, .limits = limits});
  }
  VYRE_TRY(GpuCode ptx, compile_gpu(kernel, variant,
                                    {.processor = target.processor,
                                     .wide_offsets = options.wide_offsets,
                                     .limits = limits,
                                     .check_at_start = options.check_at_start,
                                     .by_value = options.by_value}));
  return finish(device, ptx, limits);
}

Result<void> write_code(const std::filesystem::path& path, const StoredCode& code) {
  VYRE_TRY(const PrivateFolder folder, PrivateFolder::make(path.parent_path()));
  return folder.replace(path.filename().string(), encode_code(code), Flush::later);
}

void keep(const std::filesystem::path& path, const StoredCode& code, const WorkLimits& limits) {
  const auto kept =
      with_disk(path.parent_path(), [path, code] { return write_code(path, code); }, limits);
  // One warning is enough: a full disk concerns everything that is compiled.
  static std::atomic<bool> told{false};
  if (!kept && !limits.over() && !told.exchange(true)) {
    warn_once("compiled code is not kept", kept.error());
  }
}

Result<std::optional<StoredCode>> read_code(const std::filesystem::path& path) {
  VYRE_TRY(const auto folder, PrivateFolder::find(path.parent_path()));
  if (!folder) return std::nullopt;
  VYRE_TRY(const auto text, folder->read(path.filename().string(), kMaxFile));
  return text ? decode_code(*text) : std::nullopt;
}

std::optional<StoredCode> kept_code(const std::filesystem::path& path, const WorkLimits& limits) {
  auto code = with_disk(path.parent_path(), [path] { return read_code(path); }, limits);
  if (code) return *std::move(code);
  if (!limits.over()) warn_once("compiled code is not used again", code.error());
  return std::nullopt;
}

std::uint64_t bytes_of(const StoredCode& code) {
  if (const auto* host = std::get_if<HostObject>(&code)) return host->object.size();
  const auto& gpu = std::get<GpuCode>(code);
  return gpu.ptx.size() + gpu.cubin.size();
}

Result<std::shared_ptr<const LoadedCode>> load(Device& device, StoredCode code,
                                               const WorkLimits& limits = {}) {
  if (auto* gpu = std::get_if<GpuCode>(&code)) return device.load(std::move(*gpu));
  VYRE_TRY(auto host, load_host(std::get<HostObject>(code), limits));
  return device.load(std::move(host));
}

}  // namespace

std::string_view to_string(CodeSource source) {
  switch (source) {
    case CodeSource::memory: return "memory";
    case CodeSource::disk: return "disk";
    case CodeSource::compiled: return "compiled";
  }
  return "";
}

struct CodeStore::Ready {
  StoredCode code;
  CodeSource source = CodeSource::compiled;
};

CodeStore::CodeStore(std::shared_ptr<Device> device, std::optional<std::filesystem::path> folder,
                     SharedCacheLimits idle)
    : device_(std::move(device)),
      folder_(std::move(folder)),
      loaded_(device_->target().kind == TargetKind::host ? idle : SharedCacheLimits{}),
      ready_(idle) {}

CodeStore::~CodeStore() = default;

Result<FoundCode> CodeStore::find_or_make(const Kernel& kernel, const Variant& variant,
                                          const CodeOptions& options, const WorkLimits& limits) {
  if (!device_->runs()) {
    VYRE_TRY(auto nothing, device_->load(HostCode{}));
    return FoundCode{std::move(nothing), CodeSource::compiled};
  }
  const Digest key = key_of(kernel, variant, device_->target(), options);
  if (auto found = find_loaded(key)) return *std::move(found);
  std::optional<Ready> made;
  {
    const std::scoped_lock lock(mutex_);
    if (const auto ready = ready_.take(key)) made = std::move(*ready);
  }
  if (!made) {
    VYRE_TRY(made, make(key, kernel, variant, options, limits));
  }
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t bytes = bytes_of(made->code);
  VYRE_TRY(auto loaded, load(*device_, std::move(made->code), limits));
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
  VYRE_TRY(FoundCode out, put(key, std::move(loaded), bytes, made->source));
  out.load_ns = spent.count();
  return out;
}

Result<void> CodeStore::make_ready(const Kernel& kernel, const Variant& variant,
                                   const CodeOptions& options, const WorkLimits& limits) {
  if (!device_->runs()) return {};
  const Digest key = key_of(kernel, variant, device_->target(), options);
  if (find_loaded(key)) return {};
  VYRE_TRY(auto made, make(key, kernel, variant, options, limits));
  if (const auto* gpu = std::get_if<GpuCode>(&made.code)) {
    VYRE_TRY(made.code, finish(device_, *gpu, limits));
  }
  const std::uint64_t bytes = bytes_of(made.code);
  decltype(ready_)::Forgotten forgotten;
  const std::scoped_lock lock(mutex_);
  (void)ready_.put(key, std::make_shared<Ready>(std::move(made)), bytes, forgotten);
  return {};
}

std::size_t CodeStore::loaded() const {
  const std::scoped_lock lock(mutex_);
  return loaded_.size();
}

bool CodeStore::keeps(const Kernel& kernel, const Variant& variant,
                      const CodeOptions& options) const {
  if (!folder_) return false;
  const std::string name = to_hex(key_of(kernel, variant, device_->target(), options));
  const auto found = with_disk(*folder_, [path = *folder_, name]() -> Result<bool> {
    VYRE_TRY(const auto folder, PrivateFolder::find(path));
    if (!folder) return false;
    VYRE_TRY(const auto mode, folder->mode(name));
    return mode.has_value();
  });
  return found && *found;
}

Result<CodeStore::Ready> CodeStore::make(const Digest& key, const Kernel& kernel,
                                         const Variant& variant, const CodeOptions& options,
                                         const WorkLimits& limits) {
  std::filesystem::path path;
  if (folder_) {
    path = *folder_ / to_hex(key);
    if (auto code = kept_code(path, limits)) return Ready{*std::move(code), CodeSource::disk};
  }
  VYRE_TRY(auto code, make_code(kernel, variant, device_, options, limits));
  if (folder_) keep(path, code, limits);
  return Ready{std::move(code), CodeSource::compiled};
}

Result<FoundCode> CodeStore::load_own(const GpuCode& code) {
  Hasher hasher;
  hasher.update("vyre-own-code-v1");
  hasher.update(encode_code(code));
  hasher.update(to_string(device_->target()));
  const Digest key = hasher.finish();
  if (auto found = find_loaded(key)) return *std::move(found);
  std::optional<StoredCode> ready;
  CodeSource source = CodeSource::disk;
  if (code.cubin.empty() && folder_) {
    ready = kept_code(*folder_ / to_hex(key), {});
  }
  if (!ready) {
    source = CodeSource::compiled;
    VYRE_TRY(DeviceCode finished, device_->finish(code));
    ready = std::get<GpuCode>(std::move(finished));
    if (code.cubin.empty() && folder_) keep(*folder_ / to_hex(key), *ready, {});
  }
  const std::uint64_t bytes = bytes_of(*ready);
  VYRE_TRY(auto loaded, load(*device_, *std::move(ready)));
  return put(key, std::move(loaded), bytes, source);
}

std::optional<FoundCode> CodeStore::find_loaded(const Digest& key) {
  const std::scoped_lock lock(mutex_);
  auto code = loaded_.find(key);
  if (code == nullptr) return std::nullopt;
  return FoundCode{std::move(code), CodeSource::memory};
}

Result<FoundCode> CodeStore::put(const Digest& key, std::shared_ptr<const LoadedCode> code,
                                 std::uint64_t bytes, CodeSource source) {
  decltype(loaded_)::Forgotten forgotten;
  // Two threads may have compiled the same code: the first one is kept.
  const std::scoped_lock lock(mutex_);
  return FoundCode{loaded_.put(key, std::move(code), bytes, forgotten), source};
}

}  // namespace vyre
