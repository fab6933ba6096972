#include "vyre/data/npy/npy_record.h"

#include <gtest/gtest.h>

#include "vyre/base/files/files.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/data/sink.h"
#include "vyre/data/source.h"

namespace vyre {
namespace {

class Records : public testing::Test {
 protected:
  TypeTable types_;
  const TypeId f32_ = types_.scalar(ScalarKind::f32), u32_ = types_.scalar(ScalarKind::u32);
  const TypeId vec3_ = types_.vector(ScalarKind::f32, 3);
  // at: 0, mass: 12, and in arrays a stride of 16.
  const TypeId body_ = types_.structure("Body", {{"at", vec3_}, {"mass", f32_}});
  // n: 0, path (three vec3s of stride 16): 16, parts (two Bodies): 64, turn: 96 (columns of 16).
  const TypeId all_ = types_.structure("All", {{"n", u32_},
                                               {"path", types_.array(vec3_, 3)},
                                               {"parts", types_.array(body_, 2)},
                                               {"turn", types_.matrix(ScalarKind::f32, 2, 3)}});
  const TypeId list_ = types_.structure(
      "List", {{"count", types_.atomic(ScalarKind::u32)}, {"items", types_.runtime_array(vec3_)}});

  struct Buffer {
    BufferLayout layout;
    std::string name = "b", type = "B";
  };
  Buffer buffer(TypeId type) const { return {buffer_layout(types_, type)}; }
  BufferData data(const Buffer& buffer) const {
    return {types_, buffer.layout, buffer.name, buffer.type};
  }

  std::string file(const std::string& descr, const std::string& shape, const std::string& bytes) {
    std::string header =
        "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }\n";
    std::string text("\x93NUMPY\x01\x00", 8);
    text += static_cast<char>(header.size() & 0xff);
    text += static_cast<char>(header.size() >> 8);
    const std::string path = (folder_.path() / "x.npy").string();
    EXPECT_TRUE(replace_file(path, text + header + bytes));
    return path;
  }
  // Scalars 1, 2, 3, ... of 4 bytes.
  static std::string numbers(std::uint32_t count) {
    std::string out;
    for (std::uint32_t i = 1; i <= count; ++i) out += std::string{static_cast<char>(i), 0, 0, 0};
    return out;
  }

  Result<std::vector<std::byte>> read(TypeId type, const std::string& path) const {
    const Buffer b = buffer(type);
    const DataSource source = NpyFile{path};
    VYRE_TRY(const OpenedData opened, open_source(source, data(b), 1 << 20));
    std::vector<std::byte> memory(*b.layout.bytes_for(*opened.elements));
    VYRE_CHECK(put_data(source, data(b), opened, memory));
    return memory;
  }
  std::string error(TypeId type, const std::string& path) const {
    const auto memory = read(type, path);
    std::string text = memory ? "no error" : describe(memory.error());
    const std::size_t at = text.find(path);
    return at == std::string::npos ? text : text.replace(at, path.size(), "x.npy");
  }
  static std::vector<std::uint32_t> words(std::span<const std::byte> memory) {
    std::vector<std::uint32_t> out;
    for (std::size_t i = 0; i < memory.size(); i += 4) {
      out.push_back(static_cast<std::uint32_t>(load_scalar(memory, i, ScalarKind::u32).bits));
    }
    return out;
  }

  TemporaryFolder folder_;
};

using Words = std::vector<std::uint32_t>;

TEST_F(Records, AreReadByTheNamesOfTheirFields) {
  const auto packed = read(types_.runtime_array(body_),
                           file("[('at', '<f4', (3,)), ('mass', '<f4')]", "(2,)", numbers(8)));
  ASSERT_TRUE(packed) << describe(packed.error());
  EXPECT_EQ(words(*packed), (Words{1, 2, 3, 4, 5, 6, 7, 8}));
  // Another order, a title, padding in between and behind.
  const auto padded =
      read(types_.runtime_array(body_),
           file("[(('the mass', 'mass'), '<f4'), ('', '|V4'), ('at', '<f4', (3,)), ('', '|V8')]",
                "(1, 2)", numbers(14)));
  ASSERT_TRUE(padded) << describe(padded.error());
  EXPECT_EQ(words(*padded), (Words{3, 4, 5, 1, 10, 11, 12, 8}));
}

TEST_F(Records, HoldArraysVectorsMatricesAndRecords) {
  const std::string descr =
      "[('n', '<u4'), ('path', '<f4', (3, 3)), ('parts', [('at', '<f4', (3,)), ('mass', '<f4')], "
      "(2,)), ('turn', '<f4', (2, 3))]";
  const auto memory = read(all_, file(descr, "()", numbers(24)));
  ASSERT_TRUE(memory) << describe(memory.error());
  EXPECT_EQ(words(*memory), (Words{1,  0,  0,  0,  2,  3,  4,  0,  5,  6,  7,  0, 8,  9,  10, 0,
                                   11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 0, 22, 23, 24, 0}));
}

TEST_F(Records, AFieldSaysHowLongARunTimeSizedArrayIs) {
  const auto memory =
      read(list_, file("[('count', '<u4'), ('items', '<f4', (2, 3))]", "()", numbers(7)));
  ASSERT_TRUE(memory) << describe(memory.error());
  EXPECT_EQ(words(*memory), (Words{1, 0, 0, 0, 2, 3, 4, 0, 5, 6, 7, 0}));
  EXPECT_EQ(error(list_, file("[('count', '<u4'), ('items', '<f4', (2, 3))]", "(2,)", numbers(14))),
            "x.npy: has records of the shape (2,); b (B) is a single one");
  EXPECT_EQ(error(list_, file("[('count', '<u4'), ('items', '<f4')]", "()", numbers(2))),
            "x.npy: the field 'items' has the shape (), which does not fit its member");
  EXPECT_EQ(
      error(list_, file("[('count', '<u4'), ('items', '<f4', (99999999999999, 3))]", "()", "")),
      "x.npy: the shape () of records of 1199999999999992 bytes needs 1199999999999992 bytes "
      "of data; the file has 0 (it is cut short)");
}

TEST_F(Records, ErrorsNameTheField) {
  const TypeId bodies = types_.runtime_array(body_);
  EXPECT_EQ(error(bodies, file("[('at', '<f4', (3,))]", "(1,)", numbers(3))),
            "x.npy: has no field 'mass', which Body needs");
  EXPECT_EQ(error(bodies, file("[('at', '<f4', (3,)), ('mass', '<f4'), ('id', '<u4')]", "(1,)",
                               numbers(5))),
            "x.npy: has the field 'id', which Body has not; Body has at, mass");
  EXPECT_EQ(error(bodies, file("[('at', '<f4', (3,)), ('mass', '<f8')]", "(1,)", numbers(5))),
            "x.npy: the field 'mass' holds '<f8' (64-bit floats); f32 needs '<f4' (32-bit floats)");
  EXPECT_EQ(error(bodies, file("[('at', '<f4', (4,)), ('mass', '<f4')]", "(1,)", numbers(5))),
            "x.npy: the field 'at' has the shape (4,), which does not fit its member");
  EXPECT_EQ(
      error(bodies, file("[('at', [('x', '<f4')], (3,)), ('mass', '<f4')]", "(1,)", numbers(4))),
      "x.npy: the field 'at' holds records; f32 needs '<f4' (32-bit floats)");
  EXPECT_EQ(error(bodies, file("'<f4'", "(4,)", numbers(4))),
            "x.npy: it holds '<f4' (32-bit floats); Body is a struct");
  EXPECT_EQ(error(bodies, file("[('at', '<f4', (3,)), ('mass', '<f4')]", "(2,)", numbers(7))),
            "x.npy: the shape (2,) of records of 16 bytes needs 32 bytes of data; the file has 28 "
            "(it is cut short)");
  const std::string inner =
      "[('n', '<u4'), ('path', '<f4', (3, 3)), ('parts', [('at', '<f4', (3,)), ('mass', '<i4')], "
      "(2,)), ('turn', '<f4', (2, 3))]";
  EXPECT_EQ(error(all_, file(inner, "()", numbers(24))),
            "x.npy: the field 'parts.mass' holds '<i4' (32-bit integers); f32 needs '<f4' (32-bit "
            "floats)");
}

TEST_F(Records, HostileHeadersAreRefused) {
  const TypeId bodies = types_.runtime_array(body_);
  const auto nested = [](unsigned levels) {
    std::string deep = "'<f4'";
    for (unsigned i = 0; i < levels; ++i) deep = "[('a', " + deep + ")]";
    return deep;
  };
  for (const unsigned levels : {kMaxNpyDepth + 1, 1000U}) {
    EXPECT_EQ(error(bodies, file(nested(levels), "()", "")),
              "x.npy: the .npy header has records in more than 16 records");
  }
  EXPECT_EQ(error(bodies, file(nested(kMaxNpyDepth), "()", "    ")),
            "x.npy: has the field 'a', which Body has not; Body has at, mass");
  EXPECT_EQ(error(bodies, file("[('at', '<f4'), ('at', '<f4')]", "()", "")),
            "x.npy: the .npy header has the field 'at' twice");
  EXPECT_EQ(error(bodies, file("[]", "()", "")),
            "x.npy: the .npy header has a record without fields");
  EXPECT_EQ(error(bodies, file("[('at', '|O')]", "()", "")),
            "x.npy: the .npy header has the field 'at' of '|O', which is not understood");
  EXPECT_EQ(error(bodies, file("[('at', '<f4', (99999999999, 99999999999))]", "()", "")),
            "x.npy: the .npy header has a record of more bytes than 64 bits can count");
}

TEST_F(Records, AreWrittenWithoutPaddingAndReadBack) {
  const DataSink sink{(folder_.path() / "y.npy").string(), DataSink::Form::npy};
  for (const auto& [type, elements] : {std::pair(types_.runtime_array(body_), 3),
                                       std::pair(types_.array(types_.array(body_, 2), 3), 3),
                                       std::pair(all_, 1), std::pair(list_, 5)}) {
    const Buffer b = buffer(type);
    std::vector<std::byte> memory(*b.layout.bytes_for(static_cast<std::uint64_t>(elements)));
    const Fill iota{.kind = Fill::Kind::iota, .value = "", .elements = {}};
    ASSERT_TRUE(apply_fill(types_, b.layout, iota, memory));
    ASSERT_TRUE(write_data(sink, data(b), memory, {}));
    const auto back = read(type, sink.path);
    ASSERT_TRUE(back) << describe(back.error());
    EXPECT_EQ(*back, memory);
  }
  const std::string text = *read_file(sink.path);
  EXPECT_NE(text.find("{'descr': [('count', '<u4'), ('items', '<f4', (5, 3))], "
                      "'fortran_order': False, 'shape': (), }"),
            std::string::npos);
  EXPECT_EQ(text.size() % 64, 0U);  // 4 + 5 * 12 bytes behind a header of whole lines
}

TEST_F(Records, NamesBeyondAsciiNeedVersionThree) {
  const TypeId named = types_.structure("S", {{"größe", f32_}});
  const std::string header = npy_header(packed_record(types_, named, 0), {});
  EXPECT_EQ(header[6], 3);
  EXPECT_EQ(parse_npy_header(header, "x.npy")->type, packed_record(types_, named, 0));
}

}  // namespace
}  // namespace vyre
