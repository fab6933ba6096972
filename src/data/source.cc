#include "vyre/data/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "vyre/base/arithmetic.h"
#include "vyre/base/files/files.h"
#include "vyre/base/memory/memory_headroom.h"
#include "vyre/base/overloaded.h"
#include "vyre/data/image/image_buffer.h"
#include "vyre/data/npy/npy.h"
#include "vyre/data/number_text.h"

namespace vyre {
namespace {

// A file without a size (a device, a pipe) might never end.
Result<std::string> read_data_file(const std::string& path, std::uint64_t max_bytes) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    max_bytes = std::min(max_bytes, kDefaultReadLimit);
  }
  auto text = read_file(path, max_bytes);
  if (!text) text.error().code = Code::invalid_input;
  return text;
}

// The number of elements of an array of that shape, if its inner axes are those of an element.
Result<std::uint64_t> elements_of_shape(const BufferData& buffer,
                                        const std::vector<std::uint64_t>& axes,
                                        const std::vector<std::uint64_t>& shape,
                                        const std::string& path) {
  std::string wanted;
  for (const std::uint64_t axis : axes) wanted += fmt::format(", {}", axis);
  const bool matches =
      shape.size() >= axes.size() &&
      std::equal(axes.begin(), axes.end(), shape.end() - static_cast<std::ptrdiff_t>(axes.size()));
  if (!matches) {
    return fail(Code::invalid_input,
                fmt::format("{}: has the shape {}; {} ({}) needs (...{})", path, shape_text(shape),
                            buffer.name, buffer.type, wanted));
  }
  std::uint64_t elements = 1;
  for (std::size_t i = 0; i + axes.size() < shape.size(); ++i) {
    elements = saturating_mul(elements, shape[i]);
  }
  return elements;
}

Result<void> check_element_count(const BufferData& buffer, std::uint64_t elements,
                                 std::string_view source) {
  if (buffer.layout.runtime_sized) {
    if (elements > 0) return {};
    return fail(Code::invalid_input,
                fmt::format("{}: has no elements; {} needs at least one", source, buffer.name));
  }
  if (elements == buffer.layout.count) return {};
  return fail(Code::invalid_input,
              fmt::format("{}: has {}; {} ({}) needs {}", source, counted(elements, "element"),
                          buffer.name, buffer.type, with_commas(buffer.layout.count)));
}

Result<OpenedData> open_plain_npy(const std::string& path, const BufferData& buffer,
                                  const ElementAxes& axes, std::uint64_t max_bytes) {
  OpenedData out;
  VYRE_TRY(out.file, read_data_file(path, max_bytes));
  VYRE_TRY(NpyArray array, parse_npy(out.file, path, axes.kind));
  VYRE_TRY(out.elements, elements_of_shape(buffer, axes.axes, array.shape, path));
  VYRE_CHECK(check_element_count(buffer, *out.elements, path));
  out.data_offset = out.file.size() - array.data.size();
  out.shape = std::move(array.shape);
  return out;
}

// The buffer is one struct that ends in a run-time sized array: the file is one record.
Result<void> count_tail(const BufferData& buffer, const NpyHeader& header, const std::string& path,
                        OpenedData& out) {
  if (!std::ranges::all_of(header.shape, [](std::uint64_t axis) { return axis == 1; })) {
    return fail(Code::invalid_input,
                fmt::format("{}: has records of the shape {}; {} ({}) is a single one", path,
                            shape_text(header.shape), buffer.name, buffer.type));
  }
  const std::string& last =
      buffer.types.get_if<StructType>(buffer.layout.type)->members.back().name;
  const auto field = std::ranges::find(header.type.fields, last, &NpyField::name);
  // If the field is missing or not an array, map_record reports it.
  const bool counts = field != header.type.fields.end() && !field->shape.empty();
  out.elements = counts ? field->shape.front() : 1;
  return {};
}

Result<OpenedData> open_records(const std::string& path, const BufferData& buffer,
                                std::uint64_t max_bytes) {
  OpenedData out;
  VYRE_TRY(out.file, read_data_file(path, max_bytes));
  VYRE_TRY(const NpyHeader header, parse_npy_header(out.file, path));
  const RecordAxes axes = record_axes(buffer.types, buffer.layout);
  if (buffer.layout.header_bytes != 0) {
    VYRE_CHECK(count_tail(buffer, header, path, out));
  } else {
    VYRE_TRY(out.elements, elements_of_shape(buffer, axes.axes, header.shape, path));
  }
  VYRE_CHECK(check_element_count(buffer, *out.elements, path));
  if (header.type.bytes != 0) VYRE_CHECK(npy_array(out.file, path, header));
  VYRE_TRY(out.runs, map_record(buffer.types, axes.structure, header.type, path));
  out.record_bytes = header.type.bytes;
  out.data_offset = header.data_offset;
  out.shape = header.shape;
  return out;
}

Result<OpenedData> open_npy(const std::string& path, const BufferData& buffer,
                            std::uint64_t max_bytes) {
  const auto axes = element_axes(buffer.types, buffer.layout.element);
  if (axes && buffer.layout.header_bytes == 0) {
    return open_plain_npy(path, buffer, *axes, max_bytes);
  }
  return open_records(path, buffer, max_bytes);
}

Result<OpenedData> open_raw(const std::string& path, const BufferData& buffer,
                            std::uint64_t max_bytes) {
  OpenedData out;
  VYRE_TRY(out.file, read_data_file(path, max_bytes));
  const BufferLayout& layout = buffer.layout;
  const std::uint64_t bytes = out.file.size();
  const std::uint64_t elements = layout.elements_in(bytes);
  if (layout.bytes_for(elements) != bytes) {
    return fail(
        Code::invalid_input,
        fmt::format(
            "{}: has {}, which is not {}whole elements of {} bytes, as {} ({}) needs", path,
            counted(bytes, "byte"),
            layout.header_bytes == 0 ? "" : fmt::format("{} bytes and ", layout.header_bytes),
            layout.stride, buffer.name, buffer.type));
  }
  VYRE_CHECK(check_element_count(buffer, elements, path));
  out.elements = elements;
  return out;
}

Result<OpenedData> open_image(const std::string& path, const BufferData& buffer,
                              std::uint64_t max_bytes) {
  VYRE_CHECK(check_pixels(buffer, path));
  OpenedData out;
  VYRE_TRY(const std::string file, read_data_file(path, max_bytes));
  VYRE_TRY(out.image, read_image(file, path, max_bytes));
  out.elements = std::uint64_t{out.image.width} * out.image.height;
  VYRE_CHECK(check_element_count(buffer, *out.elements, path));
  const auto axes = element_axes(buffer.types, buffer.layout.element);
  out.shape = {out.image.height, out.image.width};
  out.shape.insert(out.shape.end(), axes->axes.begin(), axes->axes.end());
  return out;
}

Result<OpenedData> open_fill(const Fill& fill, const BufferData& buffer) {
  if (fill.elements) VYRE_CHECK(check_element_count(buffer, *fill.elements, describe(fill)));
  return OpenedData{.elements = fill.elements};
}

}  // namespace

Result<DataSource> parse_source(std::string_view text) {
  if (text.starts_with("fill:")) {
    VYRE_TRY(Fill fill, parse_fill(text.substr(5)));
    return fill;
  }
  if (text.starts_with("raw:")) {
    if (text.size() == 4) return fail(Code::invalid_input, "raw: names no file");
    return RawFile{std::string(text.substr(4))};
  }
  if (image_form(text)) return ImageFile{std::string(text)};
  return NpyFile{std::string(text)};
}

std::string describe(const DataSource& source) {
  return std::visit(Overloaded{[](const NpyFile& npy) { return npy.path; },
                               [](const RawFile& raw) { return "raw:" + raw.path; },
                               [](const ImageFile& image) { return image.path; },
                               [](const Fill& fill) { return describe(fill); }},
                    source);
}

Result<OpenedData> open_source(const DataSource& source, const BufferData& buffer,
                               std::uint64_t max_bytes) {
  // A file is in memory twice: as it is read, and in the buffer.
  max_bytes = std::min(max_bytes, memory_headroom().bytes / 2);
  return std::visit(
      Overloaded{[&](const NpyFile& npy) { return open_npy(npy.path, buffer, max_bytes); },
                 [&](const RawFile& raw) { return open_raw(raw.path, buffer, max_bytes); },
                 [&](const ImageFile& image) { return open_image(image.path, buffer, max_bytes); },
                 [&](const Fill& fill) { return open_fill(fill, buffer); }},
      source);
}

Result<void> put_data(const DataSource& source, const BufferData& buffer, const OpenedData& opened,
                      std::span<std::byte> memory) {
  const auto file = std::as_bytes(std::span(opened.file.data(), opened.file.size()));
  return std::visit(
      Overloaded{[&](const NpyFile&) -> Result<void> {
                   const auto data = file.subspan(opened.data_offset);
                   if (opened.runs.empty()) {
                     unpack_elements(buffer.types, buffer.layout, data, memory);
                   } else {
                     const TypeId structure = record_axes(buffer.types, buffer.layout).structure;
                     read_records(opened.runs, opened.record_bytes, buffer.types.stride(structure),
                                  data, memory);
                   }
                   return {};
                 },
                 [&](const RawFile&) -> Result<void> {
                   std::ranges::copy(file, memory.begin());
                   return {};
                 },
                 [&](const ImageFile&) -> Result<void> {
                   put_image(opened.image, buffer, memory);
                   return {};
                 },
                 [&](const Fill& fill) -> Result<void> {
                   if (fill.kind == Fill::Kind::zeros) return {};
                   auto filled = apply_fill(buffer.types, buffer.layout, fill, memory);
                   if (!filled) {
                     filled.error().what =
                         fmt::format("{} ({}): {}", buffer.name, buffer.type, filled.error().what);
                   }
                   return filled;
                 }},
      source);
}

}  // namespace vyre
