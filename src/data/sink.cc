#include "vyre/data/sink.h"

#include <fmt/format.h>

#include "vyre/base/files.h"
#include "vyre/data/npy.h"
#include "vyre/data/npy_record.h"

namespace vyre {
namespace {

std::vector<std::byte> with_header(const std::string& header, std::vector<std::byte> data) {
  const auto bytes = std::as_bytes(std::span(header.data(), header.size()));
  data.insert(data.begin(), bytes.begin(), bytes.end());
  return data;
}

std::vector<std::byte> npy_file(const BufferData& buffer, std::span<const std::byte> memory,
                                std::span<const std::uint64_t> given_shape) {
  const BufferLayout& layout = buffer.layout;
  const std::uint64_t elements = layout.elements_in(memory.size());
  const auto axes = element_axes(buffer.types, layout.element);
  const bool plain = axes && layout.header_bytes == 0;
  const RecordAxes records = plain ? RecordAxes{} : record_axes(buffer.types, layout);
  std::vector<std::uint64_t> shape(given_shape.begin(), given_shape.end());
  if (shape.empty()) {
    shape = plain ? axes->axes : records.axes;
    if (layout.is_array) shape.insert(shape.begin(), elements);
  }
  if (plain) {
    return with_header(npy_header(npy_type(axes->kind), shape),
                       pack_elements(buffer.types, layout, memory));
  }
  const NpyType type = packed_record(buffer.types, records.structure, elements);
  const auto runs = map_record(buffer.types, records.structure, type, buffer.name);
  const std::uint64_t stride = buffer.types.stride(records.structure);
  const std::uint64_t count = layout.header_bytes != 0 ? 1 : memory.size() / stride;
  return with_header(npy_header(type, shape),
                     write_records(*runs, type.bytes, stride, count, memory));
}

}  // namespace

Result<DataSink> parse_sink(std::string_view text) {
  if (text.starts_with("raw:")) {
    if (text.size() == 4) return fail(Code::invalid_input, "raw: names no file");
    return DataSink{std::string(text.substr(4)), DataSink::Form::raw};
  }
  if (!text.ends_with(".npy")) {
    return fail(Code::invalid_input,
                fmt::format("{}: a file of what form? Its name does not end in .npy", text),
                fmt::format("write {0}.npy, or raw:{0} for plain bytes", text));
  }
  return DataSink{std::string(text), DataSink::Form::npy};
}

Result<std::uint64_t> write_data(const DataSink& sink, const BufferData& buffer,
                                 std::span<const std::byte> memory,
                                 std::span<const std::uint64_t> shape) {
  if (sink.form == DataSink::Form::raw) {
    VYRE_CHECK(replace_file(sink.path, memory));
    return memory.size();
  }
  const std::vector<std::byte> content = npy_file(buffer, memory, shape);
  VYRE_CHECK(replace_file(sink.path, content));
  return content.size();
}

}  // namespace vyre
