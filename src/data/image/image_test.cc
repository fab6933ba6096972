#include "vyre/data/image/image.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "vyre/base/files/files.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/data/image/image_buffer.h"
#include "vyre/data/sink.h"
#include "vyre/data/source.h"

namespace vyre {
namespace {

constexpr std::uint64_t kRoom = 1 << 20;

Image gradient(std::uint32_t width, std::uint32_t height, std::uint32_t channels) {
  Image image{.width = width, .height = height, .channels = channels, .samples = {}};
  for (std::uint32_t i = 0; i < width * height * channels; ++i) {
    image.samples.push_back(static_cast<std::uint8_t>(i * 37 + channels));
  }
  return image;
}

std::string error_of(std::string_view file, std::uint64_t room = kRoom) {
  const auto image = read_image(file, "x", room);
  return image ? "no error" : describe(image.error());
}

TEST(Image, EveryFormReadsBackWhatItWrote) {
  for (const std::uint32_t channels : {1U, 2U, 3U, 4U}) {
    const Image image = gradient(7, 5, channels);
    const auto file = image_file(image, ImageForm::png);
    ASSERT_TRUE(file) << describe(file.error());
    EXPECT_EQ(*read_image(*file, "x", kRoom), image) << channels;
  }
  EXPECT_EQ(*read_image(*image_file(gradient(7, 5, 1), ImageForm::pgm), "x", kRoom),
            gradient(7, 5, 1));
  EXPECT_EQ(*read_image(*image_file(gradient(7, 5, 3), ImageForm::ppm), "x", kRoom),
            gradient(7, 5, 3));
  EXPECT_FALSE(image_file(gradient(7, 5, 3), ImageForm::pgm));
}

TEST(Image, NetpbmHasCommentsPlainNumbersAndOtherLargestValues) {
  const Image grey{.width = 2, .height = 2, .channels = 1, .samples = {0, 255, 128, 64}};
  EXPECT_EQ(*read_image("P2 # grey\n2\t2 # size\n255\n0 255\n128 64", "x", kRoom), grey);
  EXPECT_EQ(*read_image(std::string_view("P5\n2 2 255\n\0\xff\x80\x40", 15), "x", kRoom), grey);
  const Image of_four{.width = 1, .height = 1, .channels = 3, .samples = {0, 128, 255}};
  EXPECT_EQ(*read_image("P3 1 1 4 0 2 4\n", "x", kRoom), of_four);
  EXPECT_EQ(*read_image(std::string_view("P6 1 1 4\n\0\2\4", 12), "x", kRoom), of_four);
}

TEST(Image, DamagedNetpbmIsRefused) {
  EXPECT_EQ(error_of("P5\n2 2 255\nabc"),
            "x: the image is damaged: 2 x 2 pixels need 4 bytes, and 3 are there");
  EXPECT_EQ(error_of("P5\n2 2"), "x: the image is damaged: it has no largest value");
  EXPECT_EQ(error_of("P5\n2 2 255"), "x: the image is damaged: it ends in its header");
  EXPECT_EQ(error_of("P5\n0 2 255\n"), "x: the image is damaged: it has no pixels");
  EXPECT_EQ(error_of("P5\n-1 2 255\n"), "x: the image is damaged: it has no width");
  EXPECT_EQ(error_of("P5\n99999999999999999999 2 255\n"),
            "x: the image is damaged: its width is more than 1073741824");
  EXPECT_EQ(error_of("P6\n1000000000 1000000000 255\n"),
            "x: the image has 1000000000 x 1000000000 pixels; there is no room for its "
            "3000000000000000000 bytes");
  EXPECT_EQ(error_of("P5\n2 2 65535\nabcdefgh"),
            "x: has 16 bits a channel; images of 8 bits are read; save it with 8 bits a channel");
  EXPECT_EQ(error_of("P2 2 2 255 1 2 3"), "x: the image is damaged: it has no next value");
  EXPECT_EQ(error_of("P2 2 2 9 1 2 3 10"),
            "x: the image is damaged: its next value is more than 9");
  EXPECT_EQ(error_of("P2 30000 30 255 1 2 3"),
            "x: the image is damaged: it ends before its last value");
  EXPECT_EQ(error_of("P4\n8 1\nx"),
            "x: is a P4 file; of these, PGM (P2, P5) and PPM (P3, P6) are read");
  EXPECT_EQ(error_of("GIF89a"), "x: is no image that is understood; PNG, PGM and PPM are");
  EXPECT_EQ(error_of(""), "x: is no image that is understood; PNG, PGM and PPM are");
}

// Bytes of a PNG file: 8 of signature, then IHDR: length 8..11, type 12..15, width 16..19, height
// 20..23, depth 24, colour 25, three more, checksum 29..32.
void put_number(std::string& file, std::size_t at, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i) file[at + i] = static_cast<char>(value >> (24 - 8 * i));
}
std::uint32_t checksum(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffU;
  for (const char c : bytes) {
    crc ^= static_cast<std::uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320U : 0);
  }
  return ~crc;
}
std::string with_size(std::string file, std::uint32_t width, std::uint32_t height) {
  put_number(file, 16, width);
  put_number(file, 20, height);
  put_number(file, 29, checksum(std::string_view(file).substr(12, 17)));
  return file;
}

TEST(Image, DamagedPngIsRefusedWithBoundedMemory) {
  const std::string file = *image_file(gradient(64, 64, 3), ImageForm::png);
  ASSERT_EQ(error_of(with_size(file, 64, 64)), "no error");
  for (std::size_t bytes = 4; bytes + 12 < file.size(); bytes += 97) {  // IEND is 12 bytes
    EXPECT_NE(error_of(std::string_view(file).substr(0, bytes)), "no error") << bytes;
  }
  for (const std::size_t at : {std::size_t{20}, std::size_t{30}, file.size() / 2}) {
    std::string wrong = file;
    wrong[at] = static_cast<char>(wrong[at] ^ 1);
    EXPECT_EQ(error_of(wrong).find("x: the PNG file is damaged: "), 0U) << error_of(wrong);
  }
  // Dimensions that the file cannot hold: nothing is allocated for them.
  EXPECT_EQ(error_of(with_size(file, 900'000, 900'000), std::uint64_t{1} << 50)
                .find("x: the PNG file is damaged: "),
            0U);
  EXPECT_EQ(error_of(with_size(file, 5000, 5000)),
            "x: the image has 5000 x 5000 pixels; there is no room for its 75000000 bytes");
  EXPECT_NE(error_of(with_size(file, 0, 64)), "no error");
  EXPECT_NE(error_of(with_size(file, 0xffffffff, 0xffffffff)), "no error");
  EXPECT_NE(error_of(with_size(file, 64, 65)), "no error");
  std::string deep = file;
  deep[24] = 16;
  put_number(deep, 29, checksum(std::string_view(deep).substr(12, 17)));
  EXPECT_EQ(error_of(deep),
            "x: has 16 bits a channel; images of 8 bits are read; save it with 8 bits a channel");
}

class ImageBuffers : public testing::Test {
 protected:
  struct Buffer {
    BufferLayout layout;
    std::string name = "b", type;
  };
  Buffer buffer(TypeId element) {
    const TypeId type = types_.runtime_array(element);
    return {.layout = buffer_layout(types_, type), .type = types_.spell(type)};
  }
  BufferData data(const Buffer& b) const { return {types_, b.layout, b.name, b.type}; }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  std::vector<std::byte> read(const Buffer& b, const std::string& file) {
    const DataSource source = *parse_source(file);
    const auto opened = open_source(source, data(b), kRoom);
    EXPECT_TRUE(opened) << describe(opened.error());
    EXPECT_EQ(opened->shape[0], 2U);
    EXPECT_EQ(opened->shape[1], 3U);
    std::vector<std::byte> memory(*b.layout.bytes_for(*opened->elements));
    EXPECT_TRUE(put_data(source, data(b), *opened, memory));
    return memory;
  }
  static double at(std::span<const std::byte> memory, std::uint64_t offset, ScalarKind kind) {
    return load_scalar(memory, offset, kind).as_double();
  }

  TypeTable types_;
  TemporaryFolder folder_;
};

TEST_F(ImageBuffers, ColoursGoIntoEveryKindOfPixel) {
  Image image{.width = 3, .height = 2, .channels = 4, .samples = {}};
  for (std::uint32_t i = 0; i < 24; ++i) {
    image.samples.push_back(static_cast<std::uint8_t>(10 * i));
  }
  const std::string file = path("a.PNG");
  ASSERT_TRUE(replace_file(file, *image_file(image, ImageForm::png)));
  const auto vec4 = read(buffer(types_.vector(ScalarKind::f32, 4)), file);
  EXPECT_EQ(at(vec4, 16 + 8, ScalarKind::f32), 60.0F / 255.0F);  // blue of the second pixel
  EXPECT_EQ(at(vec4, 16 + 12, ScalarKind::f32), 70.0F / 255.0F);
  const auto vec3 = read(buffer(types_.vector(ScalarKind::f32, 3)), file);
  EXPECT_EQ(at(vec3, 16 + 8, ScalarKind::f32), 60.0F / 255.0F);
  EXPECT_EQ(at(vec3, 16 + 12, ScalarKind::u32), 0);  // padding
  const auto halves = read(buffer(types_.vector(ScalarKind::f16, 4)), file);
  EXPECT_NEAR(at(halves, 8 + 4, ScalarKind::f16), 60.0 / 255.0, 2e-4);
  const auto grey = read(buffer(types_.scalar(ScalarKind::f32)), file);
  EXPECT_NEAR(at(grey, 4, ScalarKind::f32), (0.2126 * 40 + 0.7152 * 50 + 0.0722 * 60) / 255, 1e-6);
  const auto packed = read(buffer(types_.scalar(ScalarKind::u32)), file);
  EXPECT_EQ(load_scalar(packed, 4, ScalarKind::u32).bits, 0x463c3228U);
}

TEST_F(ImageBuffers, GreyFillsColoursAndAlphaIsOne) {
  const Image image{.width = 3, .height = 2, .channels = 1, .samples = {0, 51, 255, 1, 2, 3}};
  const std::string file = path("a.pgm");
  ASSERT_TRUE(replace_file(file, *image_file(image, ImageForm::pgm)));
  const auto vec4 = read(buffer(types_.vector(ScalarKind::f32, 4)), file);
  for (const std::uint64_t channel : {0U, 4U, 8U}) {
    EXPECT_EQ(at(vec4, 16 + channel, ScalarKind::f32), 51.0F / 255.0F);
  }
  EXPECT_EQ(at(vec4, 16 + 12, ScalarKind::f32), 1);
  EXPECT_EQ(
      load_scalar(read(buffer(types_.scalar(ScalarKind::u32)), file), 4, ScalarKind::u32).bits,
      0xff333333U);
}

TEST_F(ImageBuffers, AreWrittenAsTheyWereRead) {
  const Image image = gradient(3, 2, 4);
  const std::string file = path("a.png"), copy = path("b.png");
  ASSERT_TRUE(replace_file(file, *image_file(image, ImageForm::png)));
  for (const TypeId element : {types_.vector(ScalarKind::f32, 4), types_.vector(ScalarKind::f16, 4),
                               types_.scalar(ScalarKind::u32)}) {
    const Buffer b = buffer(element);
    const std::uint64_t shape[] = {2, 3};
    ASSERT_TRUE(write_data(*parse_sink(copy), data(b), read(b, file), shape));
    EXPECT_EQ(*read_image(*read_file(copy), copy, kRoom), image);
  }
}

TEST_F(ImageBuffers, GoIntoArraysWithAnAxisForTheChannels) {
  const Buffer b = buffer(types_.vector(ScalarKind::f32, 4));
  const std::vector<std::byte> memory(6 * 16);
  const std::vector<std::vector<std::uint64_t>> shapes{{2, 3}, {2, 3, 4}, {}};
  for (const auto& shape : shapes) {
    ASSERT_TRUE(write_data(*parse_sink(path("a.npy")), data(b), memory, shape));
    const std::string wanted = shape.empty() ? "'shape': (6, 4)" : "'shape': (2, 3, 4)";
    EXPECT_NE(read_file(path("a.npy"))->find(wanted), std::string::npos) << shape.size();
  }
}

TEST_F(ImageBuffers, ValuesAreCutOffAndRounded) {
  const Buffer b = buffer(types_.scalar(ScalarKind::f32));
  const std::vector<float> values{-1, NAN, 0.5F, 2, INFINITY, 1.4F / 255};
  const std::uint64_t shape[] = {2, 3};
  ASSERT_TRUE(
      write_data(*parse_sink(path("a.pgm")), data(b), std::as_bytes(std::span(values)), shape));
  EXPECT_EQ(read_image(*read_file(path("a.pgm")), "x", kRoom)->samples,
            (std::vector<std::uint8_t>{0, 0, 128, 255, 255, 1}));
}

TEST_F(ImageBuffers, WhatCannotBeAnImageIsRefused) {
  const auto check = [&](TypeId element, const std::string& file) {
    const Buffer b = buffer(element);
    const auto checked = check_sink(*parse_sink(file), data(b));
    return checked ? std::string("no error") : describe(checked.error());
  };
  EXPECT_EQ(check(types_.scalar(ScalarKind::i32), "a.png"),
            "a.png: b (array<i32>) holds no pixels; an image goes with array<f32> (grey), "
            "array<vec3<f32>>, array<vec4<f32>> or array<u32> (8 bits a channel)");
  EXPECT_NE(check(types_.matrix(ScalarKind::f32, 4, 4), "a.png"), "no error");
  EXPECT_EQ(check(types_.vector(ScalarKind::f32, 4), "a.pgm"),
            "a.pgm: PGM is grey; b (array<vec4<f32>>) holds 4 channels; write a .png or a .ppm "
            "file");
  EXPECT_EQ(check(types_.scalar(ScalarKind::f32), "a.ppm"),
            "a.ppm: PPM has colours; b (array<f32>) is grey; write a .png or a .pgm file");
  EXPECT_EQ(check(types_.vector(ScalarKind::f32, 4), "a.ppm"), "no error");
  const Buffer b = buffer(types_.scalar(ScalarKind::f32));
  const std::vector<std::byte> memory(24);
  const auto flat = write_data(*parse_sink("a.png"), data(b), memory, {});
  ASSERT_FALSE(flat);
  EXPECT_EQ(describe(flat.error()),
            "a.png: nothing says how many of the 6 pixels of b are in a row; give --size "
            "WIDTH,HEIGHT");
}

}  // namespace
}  // namespace vyre
