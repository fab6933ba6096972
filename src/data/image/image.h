// Images of 8 bits per channel: PNG, and the PGM and PPM of Netpbm.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"

namespace vyre {

// Pixels row by row from the top, each with its channels one after the other: grey; grey and alpha;
// red, green and blue; these and alpha.
struct Image {
  std::uint32_t width = 0, height = 0;
  std::uint32_t channels = 1;  // 1 to 4
  std::vector<std::uint8_t> samples;

  bool operator==(const Image&) const = default;
};

enum class ImageForm : std::uint8_t { png, pgm, ppm };
// The format by the extension of a file name, in any case; empty: not an image.
std::optional<ImageForm> image_form(std::string_view path);

// The format is detected from the content. An image of more than `max_bytes`, or of more than the
// file can contain, is refused before memory is allocated. Errors begin with `name`.
Result<Image> read_image(std::string_view file, const std::string& name, std::uint64_t max_bytes);

// PGM takes grey, PPM red, green and blue; PNG all.
Result<std::string> image_file(const Image& image, ImageForm form);

}  // namespace vyre
