#include <fmt/format.h>
#include <png.h>

#include <cstdio>

#include "vyre/base/arithmetic.h"
#include "vyre/data/image/image_internal.h"

// What the copy of libpng that the build links writes its messages to; see VyreThirdParty.cmake.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
extern "C" [[gnu::visibility("hidden")]] std::FILE* vyre_png_stderr;
std::FILE* vyre_png_stderr = stderr;

namespace vyre {
namespace {

// The state of libpng for an image, freed in every case.
class Png {
 public:
  Png() { image_.version = PNG_IMAGE_VERSION; }
  Png(const Png&) = delete;
  Png& operator=(const Png&) = delete;
  ~Png() { png_image_free(&image_); }

  png_image* operator->() { return &image_; }
  png_image* get() { return &image_; }

 private:
  png_image image_{};
};

std::unexpected<Error> damaged(const std::string& name, const char* message) {
  return fail(Code::invalid_input, fmt::format("{}: the PNG file is damaged: {}", name, message));
}

// Deflate expands a byte to at most 1,032 bytes.
constexpr std::uint64_t kMostUnpacked = 1040;

constexpr png_uint_32 kFormats[] = {PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB,
                                    PNG_FORMAT_RGBA};

}  // namespace

Result<Image> read_png(std::string_view file, const std::string& name, std::uint64_t max_bytes) {
  Png png;
  if (png_image_begin_read_from_memory(png.get(), file.data(), file.size()) == 0) {
    return damaged(name, png->message);
  }
  if ((png->format & PNG_FORMAT_FLAG_LINEAR) != 0) {
    return fail(Code::invalid_input,
                fmt::format("{}: has 16 bits a channel; images of 8 bits are read", name),
                "save it with 8 bits a channel");
  }
  Image image{.width = png->width, .height = png->height, .channels = 1, .samples = {}};
  if ((png->format & PNG_FORMAT_FLAG_COLOR) != 0) image.channels = 3;
  if ((png->format & PNG_FORMAT_FLAG_ALPHA) != 0) ++image.channels;
  VYRE_CHECK(check_image_size(image.width, image.height, image.channels, max_bytes, name));
  // One byte of the unpacked file may hold eight pixels.
  const std::uint64_t whole = saturating_mul<std::uint64_t>(file.size(), kMostUnpacked);
  const std::uint64_t least = saturating_mul<std::uint64_t>(image.width, image.height) / 8;
  if (least > whole) {
    return fail(Code::invalid_input,
                fmt::format("{}: the PNG file is damaged: {} bytes cannot hold {} x {} pixels",
                            name, file.size(), image.width, image.height));
  }
  png->format = kFormats[image.channels - 1];
  image.samples.resize(PNG_IMAGE_SIZE(*png.get()));
  if (png_image_finish_read(png.get(), nullptr, image.samples.data(), 0, nullptr) == 0) {
    return damaged(name, png->message);
  }
  return image;
}

Result<std::string> png_file(const Image& image) {
  Png png;
  png->width = image.width;
  png->height = image.height;
  png->format = kFormats[image.channels - 1];
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(*png.get());
  std::string out(bytes, '\0');
  if (png_image_write_to_memory(png.get(), out.data(), &bytes, 0, image.samples.data(), 0,
                                nullptr) == 0) {
    return fail(Code::invalid_input, fmt::format("no PNG file can be made: {}", png->message));
  }
  out.resize(bytes);
  return out;
}

}  // namespace vyre
