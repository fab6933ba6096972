// Any bytes as a .npy file: an error or an array whose parts agree, and never anything else. The
// first byte chooses the element type.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "vyre/data/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vyre;
  if (size == 0) return 0;
  constexpr ScalarKind kKinds[] = {ScalarKind::f32, ScalarKind::f16, ScalarKind::i32,
                                   ScalarKind::u32};
  const ScalarKind kind = kKinds[data[0] % 4];
  const std::string_view file(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto array = parse_npy(file, "fuzz.npy", kind);
  if (!array) {
    if (array.error().what.empty()) std::abort();
    return 0;
  }
  std::uint64_t bytes = kind == ScalarKind::f16 ? 2 : 4;
  for (const std::uint64_t axis : array->shape) bytes *= axis;
  if (array->data.size() != bytes) std::abort();

  std::string again = npy_header(kind, array->shape);
  again.append(reinterpret_cast<const char*>(array->data.data()), array->data.size());
  const auto copy = parse_npy(again, "again.npy", kind);
  if (!copy || copy->shape != array->shape || copy->data.size() != array->data.size()) std::abort();
  return 0;
}
