#include "vyre/data/sink.h"

#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "vyre/base/arithmetic.h"
#include "vyre/base/files/files.h"
#include "vyre/data/image/image_buffer.h"
#include "vyre/data/npy/npy.h"
#include "vyre/data/npy/npy_record.h"

namespace vyre {
namespace {

std::vector<std::byte> with_header(const std::string& header, std::vector<std::byte> data) {
  const auto bytes = std::as_bytes(std::span(header.data(), header.size()));
  data.insert(data.begin(), bytes.begin(), bytes.end());
  return data;
}

void drop_alpha(Image& image) {
  if (image.channels != 4) return;
  std::size_t to = 0;
  for (std::size_t from = 0; from < image.samples.size(); ++from) {
    if (from % 4 != 3) image.samples[to++] = image.samples[from];
  }
  image.samples.resize(to);
  image.channels = 3;
}

std::vector<std::byte> npy_file(const BufferData& buffer, std::span<const std::byte> memory,
                                std::span<const std::uint64_t> given_shape) {
  const BufferLayout& layout = buffer.layout;
  const std::uint64_t elements = layout.elements_in(memory.size());
  const auto axes = element_axes(buffer.types, layout.element);
  const bool plain = axes && layout.header_bytes == 0;
  const RecordAxes records = plain ? RecordAxes{} : record_axes(buffer.types, layout);
  const std::vector<std::uint64_t>& of_element = plain ? axes->axes : records.axes;
  std::vector<std::uint64_t> shape = of_element;
  if (layout.is_array && layout.header_bytes == 0) shape.insert(shape.begin(), elements);
  const auto product = [](std::span<const std::uint64_t> axes) {
    return std::accumulate(axes.begin(), axes.end(), std::uint64_t{1},
                           saturating_mul<std::uint64_t>);
  };
  // The shape that is given may be that of the elements alone.
  std::vector<std::uint64_t> given(given_shape.begin(), given_shape.end());
  if (product(given) != product(shape))
    given.insert(given.end(), of_element.begin(), of_element.end());
  if (!given_shape.empty() && product(given) == product(shape)) shape = std::move(given);
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

Result<std::string> image_content(const DataSink& sink, const BufferData& buffer,
                                  std::span<const std::byte> memory,
                                  std::span<const std::uint64_t> shape) {
  VYRE_CHECK(check_sink_shape(sink, buffer, buffer.layout.elements_in(memory.size()), shape));
  Image image = take_image(buffer, memory, static_cast<std::uint32_t>(shape[1]),
                           static_cast<std::uint32_t>(shape[0]));
  const ImageForm form = *image_form(sink.path);
  if (form == ImageForm::ppm) drop_alpha(image);
  return image_file(image, form);
}

}  // namespace

Result<DataSink> parse_sink(std::string_view text) {
  if (text.starts_with("raw:")) {
    if (text.size() == 4) return fail(Code::invalid_input, "raw: names no file");
    return DataSink{std::string(text.substr(4)), DataSink::Form::raw};
  }
  if (image_form(text)) return DataSink{std::string(text), DataSink::Form::image};
  if (!text.ends_with(".npy")) {
    return fail(
        Code::invalid_input,
        fmt::format("{}: a file of what form? Its name ends in none of .npy, .png, .pgm and .ppm",
                    text),
        fmt::format("write {0}.npy, or raw:{0} for plain bytes", text));
  }
  return DataSink{std::string(text), DataSink::Form::npy};
}

Result<void> check_sink(const DataSink& sink, const BufferData& buffer) {
  if (sink.form != DataSink::Form::image) return {};
  VYRE_CHECK(check_pixels(buffer, sink.path));
  const std::uint32_t channels = pixel_channels(buffer);
  const ImageForm form = *image_form(sink.path);
  if (form == ImageForm::pgm && channels != 1) {
    return fail(Code::invalid_input,
                fmt::format("{}: PGM is grey; {} ({}) holds {} channels", sink.path, buffer.name,
                            buffer.type, channels),
                "write a .png or a .ppm file");
  }
  if (form == ImageForm::ppm && channels < 3) {
    return fail(
        Code::invalid_input,
        fmt::format("{}: PPM has colours; {} ({}) is grey", sink.path, buffer.name, buffer.type),
        "write a .png or a .pgm file");
  }
  return {};
}

Result<void> check_sink_shape(const DataSink& sink, const BufferData& buffer,
                              std::uint64_t elements, std::span<const std::uint64_t> shape) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
  const bool fits = shape.size() >= 2 && shape[0] != 0 && shape[0] <= kMost && shape[1] <= kMost &&
                    shape[0] * shape[1] == elements;
  if (fits || sink.form != DataSink::Form::image) return {};
  return fail(Code::invalid_input,
              fmt::format("{}: nothing says how many of the {} pixels of {} are in a row",
                          sink.path, elements, buffer.name),
              "give --size WIDTH,HEIGHT");
}

Result<std::uint64_t> write_data(const DataSink& sink, const BufferData& buffer,
                                 std::span<const std::byte> memory,
                                 std::span<const std::uint64_t> shape) {
  if (sink.form == DataSink::Form::raw) {
    VYRE_CHECK(replace_file(sink.path, memory));
    return memory.size();
  }
  if (sink.form == DataSink::Form::image) {
    VYRE_TRY(const std::string content, image_content(sink, buffer, memory, shape));
    VYRE_CHECK(replace_file(sink.path, content));
    return content.size();
  }
  const std::vector<std::byte> content = npy_file(buffer, memory, shape);
  VYRE_CHECK(replace_file(sink.path, content));
  return content.size();
}

}  // namespace vyre
