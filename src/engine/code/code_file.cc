#include <cstring>

#include "vyre/base/digest.h"
#include "vyre/engine/code/code_file_internal.h"

namespace vyre {
namespace {

constexpr std::string_view kMagic = "vyre-code-5\n";
constexpr std::size_t kHeader = kMagic.size() + 32;

class Writer {
 public:
  void number(std::uint64_t v) {
    for (unsigned i = 0; i < 8; ++i) out.push_back(static_cast<char>(v >> (8 * i)));
  }
  void text(std::string_view s) {
    number(s.size());
    out.append(s);
  }
  void bytes(const std::vector<std::byte>& b) {
    text({reinterpret_cast<const char*>(b.data()), b.size()});
  }

  std::string out;
};

// After the first missing field, all further fields are empty and `good` is false.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::uint64_t number() {
    std::uint64_t v = 0;
    const std::string_view raw = take(8);
    for (std::size_t i = 0; i < raw.size(); ++i) {
      v |= std::uint64_t{static_cast<unsigned char>(raw[i])} << (8 * i);
    }
    return v;
  }
  std::string_view text() { return take(number()); }
  std::vector<std::byte> bytes() {
    const std::string_view raw = text();
    std::vector<std::byte> out(raw.size());
    if (!raw.empty()) std::memcpy(out.data(), raw.data(), raw.size());
    return out;
  }
  bool good() const { return good_; }
  bool at_end() const { return good_ && rest_.empty(); }

 private:
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) {
      good_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view out = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return out;
  }

  std::string_view rest_;
  bool good_ = true;
};

std::optional<StoredCode> read_gpu(Reader& in) {
  GpuCode out;
  out.entry = in.text();
  out.ptx = in.text();
  out.cubin = in.bytes();
  out.dynamic_shared_bytes = in.number();
  out.brief = in.number() != 0;
  const std::uint64_t count = in.number();
  for (std::uint64_t i = 0; i < count && in.good(); ++i) {
    GpuParameter parameter;
    const std::uint64_t kind = in.number();
    if (kind > static_cast<std::uint64_t>(GpuParameterKind::contents)) return std::nullopt;
    parameter.kind = static_cast<GpuParameterKind>(kind);
    parameter.slot = static_cast<std::uint32_t>(in.number());
    parameter.value = in.bytes();
    out.parameters.push_back(std::move(parameter));
  }
  if (!in.at_end()) return std::nullopt;
  return out;
}

}  // namespace

std::string encode_code(const StoredCode& code) {
  Writer body;
  if (const auto* host = std::get_if<HostObject>(&code)) {
    body.number(0);
    body.number(host->scratch_bytes);
    body.number(host->stack_bytes);
    body.number(host->brief ? 1 : 0);
    body.bytes(host->object);
  } else {
    const auto& gpu = std::get<GpuCode>(code);
    body.number(1);
    body.text(gpu.entry);
    body.text(gpu.ptx);
    body.bytes(gpu.cubin);
    body.number(gpu.dynamic_shared_bytes);
    body.number(gpu.brief ? 1 : 0);
    body.number(gpu.parameters.size());
    for (const GpuParameter& p : gpu.parameters) {
      body.number(static_cast<std::uint64_t>(p.kind));
      body.number(p.slot);
      body.bytes(p.value);
    }
  }
  const Digest digest = digest_of(body.out);
  std::string out(kMagic);
  out.append(reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size());
  return out + body.out;
}

std::optional<StoredCode> decode_code(std::string_view text) {
  if (text.size() <= kHeader || !text.starts_with(kMagic)) return std::nullopt;
  const std::string_view body = text.substr(kHeader);
  const Digest digest = digest_of(body);
  if (std::memcmp(digest.bytes.data(), text.data() + kMagic.size(), 32) != 0) return std::nullopt;
  Reader in(body);
  switch (in.number()) {
    case 0: {
      HostObject out;
      out.scratch_bytes = in.number();
      out.stack_bytes = in.number();
      out.brief = in.number() != 0;
      out.object = in.bytes();
      if (!in.at_end()) return std::nullopt;
      return out;
    }
    case 1: return read_gpu(in);
    default: return std::nullopt;
  }
}

}  // namespace vyre
