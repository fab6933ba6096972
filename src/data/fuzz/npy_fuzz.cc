// Any bytes as a .npy file: an error or an array whose parts agree, and never anything else. The
// first byte chooses the element type: a scalar, or a struct.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "vyre/data/npy/npy_record.h"

using namespace vyre;

namespace {

void check_scalars(std::string_view file, ScalarKind kind) {
  const auto array = parse_npy(file, "fuzz.npy", kind);
  if (!array) {
    if (array.error().what.empty()) std::abort();
    return;
  }
  std::uint64_t bytes = kind == ScalarKind::f16 ? 2 : 4;
  for (const std::uint64_t axis : array->shape) bytes *= axis;
  if (array->data.size() != bytes) std::abort();

  std::string again = npy_header(npy_type(kind), array->shape);
  again.append(reinterpret_cast<const char*>(array->data.data()), array->data.size());
  const auto copy = parse_npy(again, "again.npy", kind);
  if (!copy || copy->shape != array->shape || copy->data.size() != array->data.size()) std::abort();
}

// Every byte that a struct takes lies inside its record.
void check_records(std::string_view file) {
  TypeTable types;
  const TypeId f32 = types.scalar(ScalarKind::f32), vec3 = types.vector(ScalarKind::f32, 3);
  const TypeId inner = types.structure("Inner", {{"a", vec3}, {"b", f32}});
  const TypeId outer = types.structure("Outer", {{"a", f32}, {"b", types.array(inner, 2)}});
  const auto header = parse_npy_header(file, "fuzz.npy");
  if (!header || !npy_array(file, "fuzz.npy", *header)) return;
  const auto runs = map_record(types, outer, header->type, "fuzz.npy");
  if (!runs) return;
  for (const RecordRun& run : *runs) {
    if (run.file_offset + run.bytes > header->type.bytes) std::abort();
    if (run.memory_offset + run.bytes > types.layout(outer).size) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr ScalarKind kKinds[] = {ScalarKind::f32, ScalarKind::f16, ScalarKind::i32,
                                   ScalarKind::u32};
  const std::string_view file(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 5 == 4) {
    check_records(file);
  } else {
    check_scalars(file, kKinds[data[0] % 5]);
  }
  return 0;
}
