#include <fmt/format.h>

#include <cstring>
#include <type_traits>

#include "vyre/data/graph/graph_file.h"
#include "vyre/data/npy/npy.h"
#include "vyre/data/number_text.h"

namespace vyre {
namespace {

// The numbers of the file as 32 bits; the error names the first that does not fit.
template <class T>
Result<std::vector<std::uint32_t>> narrowed(const NpyArray& array, std::string_view name) {
  std::vector<std::uint32_t> out(array.data.size() / sizeof(T));
  for (std::size_t i = 0; i < out.size(); ++i) {
    T value{};
    std::memcpy(&value, array.data.data() + i * sizeof(T), sizeof(T));
    out[i] = static_cast<std::uint32_t>(value);
    const bool kept = static_cast<T>(out[i]) == value && (std::is_unsigned_v<T> || value >= 0);
    if (kept) continue;
    return fail(Code::invalid_input,
                fmt::format("{}: entry {} is {}, which is not a whole number from 0 to 4294967295",
                            name, i, value));
  }
  return out;
}

Result<std::vector<std::uint32_t>> parse_numbers(std::string_view file, std::string_view name,
                                                 std::string_view descr) {
  VYRE_TRY(const NpyHeader header, parse_npy_header(file, name));
  VYRE_TRY(const NpyArray array, npy_array(file, name, header));
  if (array.shape.size() != 1) {
    return fail(
        Code::invalid_input,
        fmt::format("{}: has the shape {}; one axis is needed", name, shape_text(array.shape)),
        "in NumPy: a.ravel()");
  }
  const std::string& found = header.type.descr;
  if (found == "<u4") return narrowed<std::uint32_t>(array, name);
  if (found == "<i4") return narrowed<std::int32_t>(array, name);
  if (found == "<i8") return narrowed<std::int64_t>(array, name);
  if (found == "<u8") return narrowed<std::uint64_t>(array, name);
  return fail(Code::invalid_input,
              fmt::format("{}: holds {}; whole numbers of 32 or 64 bits are needed", name,
                          type_text(header.type)),
              header.type.is_record() ? "in NumPy: save one field, a['name']"
                                      : fmt::format("in NumPy: a.astype('{}')", descr));
}

}  // namespace

Result<GraphData> parse_npy_graph(const NpyGraphFiles& files) {
  GraphData graph;
  VYRE_TRY(graph.offsets, parse_numbers(files.offsets, files.names.offsets, "<i8"));
  VYRE_TRY(graph.columns, parse_numbers(files.columns, files.names.columns, "<u4"));
  if (!files.weights.empty()) {
    VYRE_TRY(graph.weights, parse_numbers(files.weights, files.names.weights, "<u4"));
    // No weights at all would pass for a graph without them.
    if (graph.weights.size() != graph.columns.size()) {
      return fail(Code::invalid_input, fmt::format("{}: has {} for {}", files.names.weights,
                                                   counted(graph.weights.size(), "weight"),
                                                   counted(graph.columns.size(), "edge")));
    }
  }
  VYRE_CHECK(check_graph(graph, files.names));
  return graph;
}

}  // namespace vyre
