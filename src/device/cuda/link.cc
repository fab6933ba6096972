#include <fmt/format.h>

#include <array>
#include <cstring>
#include <memory>
#include <string_view>

#include "vyre/device/cuda/link_internal.h"

namespace vyre {
namespace {

constexpr std::size_t kLogBytes = 8192;

// The driver takes numbers as pointers.
void* as_pointer(std::size_t number) { return reinterpret_cast<void*>(number); }

std::string_view trimmed(const std::vector<char>& log) {
  std::string_view text(log.data(), strnlen(log.data(), log.size()));
  const std::size_t last = text.find_last_not_of(" \r\n\t");
  return last == std::string_view::npos ? std::string_view{} : text.substr(0, last + 1);
}

}  // namespace

Result<std::vector<std::byte>> link_ptx(CudaContext& context, const std::string& ptx,
                                        const std::string& name) {
  const CudaDriver& driver = context.driver();
  std::vector<char> info(kLogBytes), errors(kLogBytes);
  std::array<int, 4> options{cu::kJitInfoLogBuffer, cu::kJitInfoLogBytes, cu::kJitErrorLogBuffer,
                             cu::kJitErrorLogBytes};
  std::array<void*, 4> values{info.data(), as_pointer(info.size() - 1), errors.data(),
                              as_pointer(errors.size() - 1)};
  CuLink link = nullptr;
  VYRE_CHECK(context.check(driver.link_create(static_cast<unsigned>(options.size()), options.data(),
                                              values.data(), &link),
                           "cuLinkCreate", name));
  const auto destroy = [&driver](CuLink l) { driver.link_destroy(l); };
  const std::unique_ptr<CUlinkState_st, decltype(destroy)> owner(link, destroy);

  const auto checked = [&](CuResult result, const char* call) -> Result<void> {
    if (result == cu::kSuccess) return {};
    Error error = context.error_of(result, call, name);
    if (const auto log = trimmed(errors); !log.empty()) error.what += fmt::format("\n{}", log);
    if (const auto log = trimmed(info); !log.empty()) error.what += fmt::format("\n{}", log);
    return std::unexpected(std::move(error));
  };
  // The size includes the terminating zero.
  VYRE_CHECK(checked(driver.link_add(link, cu::kJitInputPtx, const_cast<char*>(ptx.c_str()),
                                     ptx.size() + 1, name.c_str(), 0, nullptr, nullptr),
                     "cuLinkAddData"));
  void* cubin = nullptr;
  std::size_t bytes = 0;
  VYRE_CHECK(checked(driver.link_complete(link, &cubin, &bytes), "cuLinkComplete"));
  const auto* data = static_cast<const std::byte*>(cubin);
  return std::vector<std::byte>(data, data + bytes);
}

}  // namespace vyre
