#include "vyre/engine/code_store.h"

#include <fmt/format.h>

#include <cstring>

#include "vyre/base/files.h"
#include "vyre/base/log.h"
#include "vyre/lower/host_compile.h"

namespace vyre {
namespace {

constexpr std::string_view kMagic = "vyre-code-1\n";
constexpr std::uint64_t kMaxFile = std::uint64_t{64} << 20;
constexpr std::size_t kHeader = kMagic.size() + 8 + 32;

std::string encode(const HostObject& object) {
  std::string out(kMagic);
  for (unsigned i = 0; i < 8; ++i) {
    out.push_back(static_cast<char>(object.scratch_bytes >> (8 * i)));
  }
  const Digest digest = digest_of(object.object);
  out.append(reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size());
  out.append(reinterpret_cast<const char*>(object.object.data()), object.object.size());
  return out;
}

std::optional<HostObject> decode(std::string_view text) {
  if (text.size() <= kHeader || !text.starts_with(kMagic)) return std::nullopt;
  HostObject out;
  for (unsigned i = 0; i < 8; ++i) {
    out.scratch_bytes |= std::uint64_t{static_cast<unsigned char>(text[kMagic.size() + i])}
                         << (8 * i);
  }
  const std::string_view body = text.substr(kHeader);
  out.object.resize(body.size());
  std::memcpy(out.object.data(), body.data(), body.size());
  const Digest digest = digest_of(out.object);
  if (std::memcmp(digest.bytes.data(), text.data() + kMagic.size() + 8, 32) != 0) {
    return std::nullopt;
  }
  return out;
}

void keep(const std::filesystem::path& folder, const std::filesystem::path& path,
          const HostObject& object) {
  auto kept = make_folders(folder);
  if (kept) kept = replace_file(path, encode(object));
  if (!kept) VYRE_LOG(warn, "compiled code is not kept: {}", describe(kept.error()));
}

}  // namespace

Digest host_code_key(const Kernel& kernel, const Variant& variant, bool wide_offsets) {
  Hasher hasher;
  const auto text = [&](std::string_view s) { hasher.update_u64(s.size()).update(s); };
  text("vyre-host-code-v1");
  hasher.update(kernel.fingerprint);
  text(to_string(variant));
  text(host_target());
  text(generator_version());
  hasher.update_u8(wide_offsets ? 1 : 0);
  return hasher.finish();
}

Result<FoundCode> CodeStore::host_code(const Kernel& kernel, const Variant& variant,
                                       bool wide_offsets) {
  const Digest key = host_code_key(kernel, variant, wide_offsets);
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
  // Two threads may have compiled the same: the first one stays.
  const std::scoped_lock lock(mutex_);
  const auto [it, fresh] = loaded_.emplace(key, std::make_shared<const HostCode>(std::move(code)));
  return FoundCode{it->second, source};
}

}  // namespace vyre
