// Images in buffers, one pixel per element, row by row from the top:
//
//   array<f32>         grey, 0 to 1
//   array<vec2<f32>>   grey and alpha
//   array<vec3<f32>>   red, green, blue
//   array<vec4<f32>>   red, green, blue, alpha
//   array<u32>         the same in 8 bits each, red lowest, as unpack4x8unorm takes them
//
// and the same with f16. Floats are the file's values divided by 255. A grey file gives equal red,
// green and blue; a file without alpha gives alpha 1. Colours become grey as 0.2126 red + 0.7152
// green + 0.0722 blue. Written values are clamped to 0 and 1 and rounded; NaN is written as 0.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "vyre/base/error.h"
#include "vyre/data/buffer_data.h"
#include "vyre/data/image/image.h"

namespace vyre {

// Fails if the elements of the buffer are not pixels. Errors begin with `file`.
Result<void> check_pixels(const BufferData& buffer, const std::string& file);
// The number of channels of such an element.
std::uint32_t pixel_channels(const BufferData& buffer);

// The buffer has as many elements as the image has pixels.
void put_image(const Image& image, const BufferData& buffer, std::span<std::byte> memory);
Image take_image(const BufferData& buffer, std::span<const std::byte> memory, std::uint32_t width,
                 std::uint32_t height);

}  // namespace vyre
