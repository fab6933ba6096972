// Any bytes as an image: an error, or samples that fill its dimensions, which read back from a PNG.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "vyre/data/image/image.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vyre;
  constexpr std::uint64_t kRoom = 1 << 20;
  const auto image =
      read_image(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz", kRoom);
  if (!image) {
    if (image.error().what.empty()) std::abort();
    return 0;
  }
  const std::uint64_t samples = std::uint64_t{image->width} * image->height * image->channels;
  if (samples == 0 || samples > kRoom || image->samples.size() != samples) std::abort();
  const auto file = image_file(*image, ImageForm::png);
  if (!file) return 0;  // sides of more than libpng writes
  const auto again = read_image(*file, "again", kRoom);
  if (!again || *again != *image) std::abort();
  return 0;
}
