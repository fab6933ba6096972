// Bytes that pass as machine code have all their sections inside.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "vyre/device/cuda/cubin_internal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto checked = vyre::check_cubin(bytes, "fuzz");
  if (!checked && checked.error().what.empty()) std::abort();
  if (checked && size < 16) std::abort();
  return 0;
}
