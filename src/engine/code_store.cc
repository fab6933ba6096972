#include "vyre/engine/code_store.h"

#include <fmt/format.h>

#include <cstring>

#include "vyre/base/files.h"
#include "vyre/base/log.h"
#include "vyre/lower/host_compile.h"

namespace vyre {
namespace {

constexpr std::string_view kMagic = "vyre-code-2\n";
constexpr std::uint64_t kMaxFile = std::uint64_t{64} << 20;
constexpr std::size_t kHeader = kMagic.size() + 32;

std::string encode(const HostObject& object) {
  std::string body;
  for (unsigned i = 0; i < 8; ++i) {
    body.push_back(static_cast<char>(object.scratch_bytes >> (8 * i)));
  }
  body.append(reinterpret_cast<const char*>(object.object.data()), object.object.size());
  const Digest digest = digest_of(body);
  std::string out(kMagic);
  out.append(reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size());
  return out + body;
}

std::optional<HostObject> decode(std::string_view text) {
  if (text.size() <= kHeader + 8 || !text.starts_with(kMagic)) return std::nullopt;
  std::string_view body = text.substr(kHeader);
  const Digest digest = digest_of(body);
  if (std::memcmp(digest.bytes.data(), text.data() + kMagic.size(), 32) != 0) return std::nullopt;
  HostObject out;
  for (unsigned i = 0; i < 8; ++i) {
    out.scratch_bytes |= std::uint64_t{static_cast<unsigned char>(body[i])} << (8 * i);
  }
  body.remove_prefix(8);
  out.object.resize(body.size());
  std::memcpy(out.object.data(), body.data(), body.size());
  return out;
}

void keep(const std::filesystem::path& folder, const std::filesystem::path& path,
          const HostObject& object) {
  auto kept = make_folders(folder);
  if (kept) kept = replace_file(path, encode(object));
  if (!kept) VYRE_LOG(warn, "compiled code is not kept: {}", describe(kept.error()));
}

// Program, variant, target and generator: all that decides the code.
Digest key_of(const Kernel& kernel, const Variant& variant, bool wide_offsets) {
  Hasher hasher;
  const auto text = [&](std::string_view s) { hasher.update_u64(s.size()).update(s); };
  text("vyre-host-code-v2");
  hasher.update(kernel.fingerprint);
  text(to_string(variant));
  text(host_target());
  text(generator_version());
  hasher.update_u8(wide_offsets ? 1 : 0);
  return hasher.finish();
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

Result<FoundCode> CodeStore::find_or_make(const Kernel& kernel, const Variant& variant,
                                          bool wide_offsets) {
  if (device_->name() == "null") {
    VYRE_TRY(auto nothing, device_->load(HostCode{}));
    return FoundCode{std::move(nothing), CodeSource::compiled};
  }
  const Digest key = key_of(kernel, variant, wide_offsets);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto it = loaded_.find(key); it != loaded_.end()) {
      return FoundCode{it->second, CodeSource::memory};
    }
  }
  std::optional<HostObject> object;
  std::filesystem::path path;
  if (folder_) {
    path = *folder_ / to_hex(key);
    const auto text = read_file_if_exists(path, kMaxFile);
    if (text && *text) object = decode(**text);
  }
  CodeSource source = CodeSource::disk;
  if (!object) {
    source = CodeSource::compiled;
    VYRE_TRY(object, compile_host(kernel, variant, {.wide_offsets = wide_offsets}));
    if (folder_) keep(*folder_, path, *object);
  }
  VYRE_TRY(auto code, load_host(*object));
  VYRE_TRY(auto loaded, device_->load(std::move(code)));
  // Two threads may have compiled the same: the first one stays.
  const std::scoped_lock lock(mutex_);
  const auto [it, fresh] = loaded_.emplace(key, std::move(loaded));
  return FoundCode{it->second, source};
}

}  // namespace vyre
