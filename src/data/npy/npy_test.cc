#include "vyre/data/npy/npy.h"

#include <gtest/gtest.h>

#include <cstring>

namespace vyre {
namespace {

// A file of the given version around a dictionary, padded as the format asks.
std::string npy_file(std::string dictionary, std::string data, int major = 1) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(major);
  file += '\0';
  dictionary += '\n';
  const std::size_t length = dictionary.size();
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) {
    file += static_cast<char>(length >> (8 * i) & 0xff);
  }
  return file + dictionary + data;
}

std::string dictionary(std::string_view descr, std::string_view shape,
                       std::string_view order = "False") {
  return "{'descr': '" + std::string(descr) + "', 'fortran_order': " + std::string(order) +
         ", 'shape': " + std::string(shape) + ", }";
}

std::string error_of(const std::string& file, ScalarKind kind = ScalarKind::f32) {
  const auto array = parse_npy(file, "x.npy", kind);
  return array ? "no error" : describe(array.error());
}

TEST(Npy, ReadsAllThreeVersions) {
  const std::string data(24, '\x01');
  for (const int major : {1, 2, 3}) {
    const std::string file = npy_file(dictionary("<f4", "(2, 3)"), data, major);
    const auto array = parse_npy(file, "x.npy", ScalarKind::f32);
    ASSERT_TRUE(array) << describe(array.error());
    EXPECT_EQ(array->shape, (std::vector<std::uint64_t>{2, 3}));
    EXPECT_EQ(array->data.size(), 24U);
    EXPECT_EQ(std::memcmp(array->data.data(), data.data(), data.size()), 0);
  }
}

TEST(Npy, ReadsEveryTypeABufferCanHold) {
  struct Case {
    ScalarKind kind;
    const char* descr;
    std::size_t bytes;
  };
  for (const Case& each : {Case{ScalarKind::f32, "<f4", 4}, Case{ScalarKind::i32, "<i4", 4},
                           Case{ScalarKind::u32, "<u4", 4}, Case{ScalarKind::f16, "<f2", 2}}) {
    const std::string file =
        npy_file(dictionary(each.descr, "(3,)"), std::string(3 * each.bytes, 'x'));
    EXPECT_TRUE(parse_npy(file, "x.npy", each.kind)) << each.descr;
  }
}

TEST(Npy, TakesTheDictionaryAsPythonWouldReadIt) {
  const std::string spaced =
      "{ \"shape\" :( 2 ,2L ) , 'fortran_order':False,\t'descr'  : \"<u4\" }   ";
  const auto array = parse_npy(npy_file(spaced, std::string(16, 'x')), "x.npy", ScalarKind::u32);
  ASSERT_TRUE(array) << describe(array.error());
  EXPECT_EQ(array->shape, (std::vector<std::uint64_t>{2, 2}));
}

TEST(Npy, ReadsASingleValueAndAnEmptyArray) {
  const auto single =
      parse_npy(npy_file(dictionary("<f4", "()"), "abcd"), "x.npy", ScalarKind::f32);
  ASSERT_TRUE(single);
  EXPECT_TRUE(single->shape.empty());
  const auto empty = parse_npy(npy_file(dictionary("<f4", "(0, 5)"), ""), "x.npy", ScalarKind::f32);
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->data.size(), 0U);
}

TEST(Npy, NamesWhatItFoundAndWhatItNeeds) {
  EXPECT_EQ(error_of(npy_file(dictionary("<f8", "(2,)"), std::string(16, 'x'))),
            "x.npy: holds '<f8' (64-bit floats); f32 needs '<f4' (32-bit floats); in NumPy: "
            "a.astype('<f4')");
  EXPECT_EQ(error_of(npy_file(dictionary(">f4", "(2,)"), std::string(8, 'x'))),
            "x.npy: holds '>f4' (big-endian 32-bit floats); f32 needs '<f4' (32-bit floats); in "
            "NumPy: a.astype('<f4')");
  EXPECT_EQ(error_of(npy_file(dictionary("|b1", "(2,)"), "xx"), ScalarKind::u32),
            "x.npy: holds '|b1' (booleans); u32 needs '<u4' (32-bit unsigned integers); in NumPy: "
            "a.astype('<u4')");
  EXPECT_EQ(error_of(npy_file(dictionary("<f4", "(2,)", "True"), std::string(8, 'x'))),
            "x.npy: is in Fortran order; C order is needed; in NumPy: np.ascontiguousarray(a)");
  EXPECT_EQ(error_of(npy_file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
                              "abcd")),
            "x.npy: holds records; f32 needs '<f4' (32-bit floats); in NumPy: save one field, "
            "a['name']");
}

TEST(Npy, RefusesDataThatIsCutShortOrGoesOn) {
  EXPECT_EQ(error_of(npy_file(dictionary("<f4", "(2, 3)"), std::string(23, 'x'))),
            "x.npy: the shape (2, 3) of '<f4' needs 24 bytes of data; the file has 23 (it is cut "
            "short)");
  EXPECT_EQ(error_of(npy_file(dictionary("<f4", "(2, 3)"), std::string(25, 'x'))),
            "x.npy: the shape (2, 3) of '<f4' needs 24 bytes of data; the file has 25");
}

TEST(Npy, RefusesShapesThatOverflow) {
  EXPECT_EQ(error_of(npy_file(dictionary("<f4", "(4294967296, 4294967296)"), "")),
            "x.npy: the shape (4294967296, 4294967296) has more bytes than 64 bits can count");
  EXPECT_EQ(error_of(npy_file(dictionary("<f4", "(18446744073709551616,)"), "")),
            "x.npy: the .npy header has an axis that is too long");
  // A zero axis makes the product 0, but the others must still be countable.
  EXPECT_EQ(error_of(npy_file(dictionary("<f4", "(0, 9223372036854775808, 2)"), "")),
            "x.npy: the shape (0, 9223372036854775808, 2) has more bytes than 64 bits can count");
}

TEST(Npy, RefusesWhatIsNoNpyFile) {
  EXPECT_EQ(error_of(""), "x.npy: not a .npy file; for plain bytes write raw:x.npy");
  EXPECT_EQ(error_of("PK\x03\x04"), "x.npy: not a .npy file; for plain bytes write raw:x.npy");
  EXPECT_EQ(error_of("\x93NUMPY"), "x.npy: the .npy file ends in its header");
  EXPECT_EQ(error_of(std::string("\x93NUMPY\x01\x00\x10", 9)),
            "x.npy: the .npy file ends in its header");
  EXPECT_EQ(error_of(std::string("\x93NUMPY\x04\x00\x10\x00", 10)),
            "x.npy: is a .npy file of version 4.0; versions 1.0, 2.0 and 3.0 are read");
  EXPECT_EQ(error_of(std::string("\x93NUMPY\x01\x00\x10\x00{}", 12)),
            "x.npy: the .npy header should have 16 bytes, but the file ends after 2");
  EXPECT_EQ(error_of(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12)),
            "x.npy: the .npy header has 4294967295 bytes; up to 65536 are read");
  EXPECT_EQ(error_of(std::string("\x93NUMPY\x02\x00\x01\x00\x01\x00", 12)),
            "x.npy: the .npy header has 65537 bytes; up to 65536 are read");
  EXPECT_EQ(error_of(std::string("\x93NUMPY\x02\x00\x00\x00\x01\x00", 12)),
            "x.npy: the .npy header should have 65536 bytes, but the file ends after 0");
}

TEST(Npy, RefusesBrokenDictionaries) {
  const auto message = [](const std::string& text) {
    const std::string all = error_of(npy_file(text, ""));
    const std::string begin = "x.npy: the .npy header ";
    return all.starts_with(begin) ? all.substr(begin.size()) : all;
  };
  EXPECT_EQ(message(""), "ends where '{' should be");
  EXPECT_EQ(message("[]"), "has '[' where '{' should be");
  EXPECT_EQ(message("{}"), "has no 'descr'");
  EXPECT_EQ(message("{'descr': '<f4'}"), "has no 'fortran_order'");
  EXPECT_EQ(message("{'descr': '<f4', 'fortran_order': False}"), "has no 'shape'");
  EXPECT_EQ(message("{'descr': '<f4', 'descr': '<f4'}"), "has the key 'descr' twice");
  EXPECT_EQ(message("{'colour': 'red'}"), "has the unknown key 'colour'");
  EXPECT_EQ(message("{'descr': '<f4"), "has a string without an end");
  EXPECT_EQ(message("{'fortran_order': 0}"), "has a fortran_order that is neither True nor False");
  EXPECT_EQ(message("{'shape': (1, x)}"), "has a shape that is not a tuple of whole numbers");
  EXPECT_EQ(message("{'shape': (-1,)}"), "has a shape that is not a tuple of whole numbers");
  EXPECT_EQ(message("{'shape': (1 2)}"), "has '2' where ')' should be");
  EXPECT_EQ(message(dictionary("<f4", "(1,)") + "more"), "goes on behind its closing brace");
  std::string many = "{'shape': (";
  for (int i = 0; i < 100; ++i) many += "1,";
  EXPECT_EQ(message(many + ")}"), "has a shape of more than 64 axes");
}

TEST(Npy, WritesWhatItReads) {
  for (const std::vector<std::uint64_t>& shape :
       std::vector<std::vector<std::uint64_t>>{{}, {5}, {2, 3}, {4, 4, 2, 1}}) {
    const std::string header = npy_header(npy_type(ScalarKind::u32), shape);
    EXPECT_EQ(header.size() % 64, 0U);
    const auto parsed = parse_npy_header(header, "x.npy");
    ASSERT_TRUE(parsed) << describe(parsed.error());
    EXPECT_EQ(parsed->shape, shape);
    EXPECT_EQ(parsed->type, npy_type(ScalarKind::u32));
    EXPECT_FALSE(parsed->fortran_order);
    EXPECT_EQ(parsed->data_offset, header.size());
  }
}

TEST(Npy, WritesTheHeaderOfTheFormatDescription) {
  const std::uint64_t shape[] = {3};
  std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);
  expected += "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
  expected.append(127 - expected.size(), ' ');
  EXPECT_EQ(npy_header(npy_type(ScalarKind::f32), shape), expected + '\n');
}

TEST(Npy, SpellsShapesAsPythonDoes) {
  EXPECT_EQ(shape_text({}), "()");
  EXPECT_EQ(shape_text(std::vector<std::uint64_t>{7}), "(7,)");
  EXPECT_EQ(shape_text(std::vector<std::uint64_t>{7, 2}), "(7, 2)");
}

}  // namespace
}  // namespace vyre
