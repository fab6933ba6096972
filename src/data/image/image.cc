#include "vyre/data/image/image.h"

#include <fmt/format.h>

#include <cctype>

#include "vyre/base/arithmetic.h"
#include "vyre/data/image/image_internal.h"

namespace vyre {

Result<void> check_image_size(std::uint64_t width, std::uint64_t height, std::uint64_t channels,
                              std::uint64_t room, const std::string& name) {
  const std::uint64_t bytes = saturating_mul(saturating_mul(width, height), channels);
  if (bytes <= room) return {};
  return fail(Code::limit,
              fmt::format("{}: the image has {} x {} pixels; there is no room for its {} bytes",
                          name, width, height, bytes));
}

std::optional<ImageForm> image_form(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  std::string end(path.substr(dot + 1));
  for (char& c : end) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (end == "png") return ImageForm::png;
  if (end == "pgm") return ImageForm::pgm;
  if (end == "ppm") return ImageForm::ppm;
  return std::nullopt;
}

Result<Image> read_image(std::string_view file, const std::string& name, std::uint64_t max_bytes) {
  if (file.starts_with("\x89PNG")) return read_png(file, name, max_bytes);
  if (file.size() > 1 && file[0] == 'P' && file[1] >= '1' && file[1] <= '7') {
    return read_netpbm(file, name, max_bytes);
  }
  return fail(Code::invalid_input,
              fmt::format("{}: is no image that is understood; PNG, PGM and PPM are", name));
}

Result<std::string> image_file(const Image& image, ImageForm form) {
  if (form == ImageForm::png) return png_file(image);
  const bool grey = form == ImageForm::pgm;
  if (image.channels != (grey ? 1 : 3)) {
    return fail(Code::invalid_input,
                fmt::format("a {} file holds {}, not {} channels", grey ? "PGM" : "PPM",
                            grey ? "one" : "three", image.channels));
  }
  std::string out = fmt::format("P{}\n{} {}\n255\n", grey ? 5 : 6, image.width, image.height);
  out.append(reinterpret_cast<const char*>(image.samples.data()), image.samples.size());
  return out;
}

}  // namespace vyre
