// The readers and writers of each image format.
#pragma once

#include "vyre/data/image/image.h"

namespace vyre {

Result<Image> read_png(std::string_view file, const std::string& name, std::uint64_t max_bytes);
Result<std::string> png_file(const Image& image);

Result<Image> read_netpbm(std::string_view file, const std::string& name, std::uint64_t max_bytes);

// Checks that the image needs at most `room` bytes, before memory is allocated.
Result<void> check_image_size(std::uint64_t width, std::uint64_t height, std::uint64_t channels,
                              std::uint64_t room, const std::string& name);

}  // namespace vyre
