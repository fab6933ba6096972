#include "vyre/data/image/image_buffer.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace vyre {
namespace {

using Pixel = std::array<float, 4>;  // red, green, blue, alpha

Pixel pixel_of(const std::uint8_t* samples, std::uint32_t channels) {
  const auto at = [&](std::uint32_t i) { return static_cast<float>(samples[i]) / 255.0F; };
  const float alpha = channels % 2 == 0 ? at(channels - 1) : 1.0F;
  if (channels < 3) return {at(0), at(0), at(0), alpha};
  return {at(0), at(1), at(2), alpha};
}

float grey_of(const Pixel& p) {
  // A grey value is not changed in any bit.
  if (p[0] == p[1] && p[1] == p[2]) return p[0];
  return 0.2126F * p[0] + 0.7152F * p[1] + 0.0722F * p[2];
}

std::uint8_t sample_of(double value) {
  if (!(value > 0)) return 0;
  return static_cast<std::uint8_t>(std::lround(std::min(value, 1.0) * 255.0));
}

Scalar float_scalar(ScalarKind kind, float value) {
  return kind == ScalarKind::f16 ? Scalar::of_f16(value) : Scalar::of(value);
}

}  // namespace

Result<void> check_pixels(const BufferData& buffer, const std::string& file) {
  const auto axes = element_axes(buffer.types, buffer.layout.element);
  if (axes && buffer.layout.header_bytes == 0 && buffer.layout.is_array) {
    if (axes->axes.empty() && (is_float(axes->kind) || axes->kind == ScalarKind::u32)) return {};
    if (axes->axes.size() == 1 && axes->axes[0] >= 2 && axes->axes[0] <= 4 &&
        is_float(axes->kind)) {
      return {};
    }
  }
  return fail(Code::invalid_input,
              fmt::format("{}: {} ({}) holds no pixels", file, buffer.name, buffer.type),
              "an image goes with array<f32> (grey), array<vec3<f32>>, array<vec4<f32>> or "
              "array<u32> (8 bits a channel)");
}

std::uint32_t pixel_channels(const BufferData& buffer) {
  const ElementAxes axes = *element_axes(buffer.types, buffer.layout.element);
  if (!axes.axes.empty()) return static_cast<std::uint32_t>(axes.axes[0]);
  return axes.kind == ScalarKind::u32 ? 4 : 1;
}

void put_image(const Image& image, const BufferData& buffer, std::span<std::byte> memory) {
  const ElementAxes axes = *element_axes(buffer.types, buffer.layout.element);
  const std::uint32_t channels = pixel_channels(buffer);
  const std::uint64_t step = scalar_bytes(axes.kind);
  const std::uint8_t* samples = image.samples.data();
  const std::uint64_t pixels = image.samples.size() / image.channels;
  for (std::uint64_t i = 0; i < pixels; ++i, samples += image.channels) {
    const std::uint64_t at = i * buffer.layout.stride;
    const Pixel p = pixel_of(samples, image.channels);
    if (axes.kind == ScalarKind::u32) {
      std::uint32_t packed = 0;
      for (unsigned c = 0; c < 4; ++c) packed |= std::uint32_t{sample_of(p[c])} << (8 * c);
      store_scalar(memory, at, Scalar::of(packed));
    } else if (channels < 3) {
      store_scalar(memory, at, float_scalar(axes.kind, grey_of(p)));
      if (channels == 2) store_scalar(memory, at + step, float_scalar(axes.kind, p[3]));
    } else {
      for (std::uint32_t c = 0; c < channels; ++c) {
        store_scalar(memory, at + c * step, float_scalar(axes.kind, p[c]));
      }
    }
  }
}

Image take_image(const BufferData& buffer, std::span<const std::byte> memory, std::uint32_t width,
                 std::uint32_t height) {
  const ElementAxes axes = *element_axes(buffer.types, buffer.layout.element);
  const std::uint64_t step = scalar_bytes(axes.kind);
  Image image{.width = width, .height = height, .channels = pixel_channels(buffer), .samples = {}};
  const std::uint64_t pixels = std::uint64_t{width} * height;
  image.samples.reserve(pixels * image.channels);
  for (std::uint64_t i = 0; i < pixels; ++i) {
    const std::uint64_t at = i * buffer.layout.stride;
    for (std::uint32_t c = 0; c < image.channels; ++c) {
      if (axes.kind == ScalarKind::u32) {
        const std::uint32_t packed = load_scalar(memory, at, axes.kind).as_u32();
        image.samples.push_back(static_cast<std::uint8_t>(packed >> (8 * c)));
      } else {
        image.samples.push_back(
            sample_of(load_scalar(memory, at + c * step, axes.kind).as_double()));
      }
    }
  }
  return image;
}

}  // namespace vyre
