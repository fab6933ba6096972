// Netpbm's PGM and PPM: a magic number, width, height and the largest value, then the samples, as
// bytes (P5, P6) or as decimal numbers (P2, P3). Everything between is white space, and comments
// from # to the end of a line.
#include <fmt/format.h>

#include <algorithm>

#include "vyre/data/image/image_internal.h"

namespace vyre {
namespace {

class Reader {
 public:
  Reader(std::string_view file, const std::string& name) : file_(file), name_(name), at_(2) {}

  Result<std::uint32_t> number(std::string_view what, std::uint32_t most) {
    skip_space();
    const std::size_t from = at_;
    std::uint64_t value = 0;
    for (; at_ < file_.size() && is_digit(file_[at_]); ++at_) {
      value = 10 * value + static_cast<std::uint64_t>(file_[at_] - '0');
      if (value > most) {
        return bad(fmt::format("its {} is more than {}", what, most));
      }
    }
    if (at_ == from) return bad(fmt::format("it has no {}", what));
    return static_cast<std::uint32_t>(value);
  }

  // The one byte of white space in front of binary samples.
  Result<std::string_view> samples() {
    if (at_ >= file_.size() || !is_space(file_[at_])) return bad("it ends in its header");
    return file_.substr(at_ + 1);
  }

  std::size_t left() const { return file_.size() - at_; }

  std::unexpected<Error> bad(std::string_view what) const {
    return fail(Code::invalid_input, fmt::format("{}: the image is damaged: {}", name_, what));
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  void skip_space() {
    while (at_ < file_.size() && (is_space(file_[at_]) || file_[at_] == '#')) {
      if (file_[at_] == '#') {
        at_ = std::min(file_.find('\n', at_), file_.size());
      } else {
        ++at_;
      }
    }
  }

  std::string_view file_;
  const std::string& name_;
  std::size_t at_;
};

}  // namespace

Result<Image> read_netpbm(std::string_view file, const std::string& name, std::uint64_t max_bytes) {
  const char kind = file[1];
  if (kind != '2' && kind != '3' && kind != '5' && kind != '6') {
    return fail(Code::invalid_input,
                fmt::format("{}: is a P{} file; of these, PGM (P2, P5) and PPM (P3, P6) are read",
                            name, kind));
  }
  constexpr std::uint32_t kMostPixels = 1U << 30U;  // along an axis
  Reader reader(file, name);
  Image image;
  image.channels = kind == '3' || kind == '6' ? 3 : 1;
  VYRE_TRY(image.width, reader.number("width", kMostPixels));
  VYRE_TRY(image.height, reader.number("height", kMostPixels));
  VYRE_TRY(const std::uint32_t largest, reader.number("largest value", 65535));
  if (image.width == 0 || image.height == 0) return reader.bad("it has no pixels");
  if (largest == 0) return reader.bad("its largest value is 0");
  if (largest > 255) {
    return fail(Code::invalid_input,
                fmt::format("{}: has 16 bits a channel; images of 8 bits are read", name),
                "save it with 8 bits a channel");
  }
  VYRE_CHECK(check_image_size(image.width, image.height, image.channels, max_bytes, name));
  const std::uint64_t count = std::uint64_t{image.width} * image.height * image.channels;
  const auto scaled = [&](std::uint32_t value) {
    return static_cast<std::uint8_t>((value * 255 + largest / 2) / largest);
  };
  if (kind == '5' || kind == '6') {
    VYRE_TRY(const std::string_view samples, reader.samples());
    if (samples.size() < count) {
      return reader.bad(fmt::format("{} x {} pixels need {} bytes, and {} are there", image.width,
                                    image.height, count, samples.size()));
    }
    image.samples.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto value = static_cast<std::uint8_t>(samples[i]);
      if (value > largest) return reader.bad("a value is larger than its largest");
      image.samples.push_back(scaled(value));
    }
    return image;
  }
  // A number and the separator after it take at least two bytes.
  if (reader.left() < count) return reader.bad("it ends before its last value");
  image.samples.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    VYRE_TRY(const std::uint32_t value, reader.number("next value", largest));
    image.samples.push_back(scaled(value));
  }
  return image;
}

}  // namespace vyre
