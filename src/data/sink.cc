#include "vyre/data/sink.h"

#include <fmt/format.h>

#include "vyre/base/files.h"
#include "vyre/data/npy.h"

namespace vyre {
namespace {

std::vector<std::byte> npy_file(const BufferData& buffer, std::span<const std::byte> memory,
                                std::span<const std::uint64_t> shape) {
  const auto axes = element_axes(buffer.types, buffer.layout.element);
  std::vector<std::uint64_t> own(shape.begin(), shape.end());
  if (own.empty()) {
    own = axes->axes;
    if (buffer.layout.is_array) own.insert(own.begin(), buffer.layout.elements_in(memory.size()));
  }
  const std::string header = npy_header(axes->kind, own);
  const auto header_bytes = std::as_bytes(std::span(header.data(), header.size()));
  std::vector<std::byte> content = pack_elements(buffer.types, buffer.layout, memory);
  content.insert(content.begin(), header_bytes.begin(), header_bytes.end());
  return content;
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

Result<void> check_sink(const DataSink& sink, const BufferData& buffer) {
  if (sink.form == DataSink::Form::raw) return {};
  if (element_axes(buffer.types, buffer.layout.element) && buffer.layout.header_bytes == 0) {
    return {};
  }
  return fail(
      Code::invalid_input,
      fmt::format("{} holds a struct ({}), which a .npy file cannot say", buffer.name, buffer.type),
      fmt::format("write plain bytes: {}=raw:FILE", buffer.name));
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
