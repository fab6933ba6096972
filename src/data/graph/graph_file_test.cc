#include "vyre/data/graph/graph_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <cstring>

#include "vyre/base/files/file_handle.h"
#include "vyre/base/files/files.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/data/graph/graph_generate.h"
#include "vyre/data/npy/npy.h"

namespace vyre {
namespace {

using Numbers = std::vector<std::uint32_t>;

template <class T>
std::string npy(std::string_view descr, const std::vector<T>& values) {
  const std::vector<std::uint64_t> shape{values.size()};
  std::string file = npy_header({std::string(descr), {}, sizeof(T)}, shape);
  file.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return file;
}

std::string npy_error(const std::string& offsets, const std::string& columns,
                      const std::string& weights = {}) {
  const auto graph = parse_npy_graph({offsets, columns, weights, {"o.npy", "c.npy", "w.npy"}});
  return graph ? "no error" : describe(graph.error());
}

std::string sg_error(const std::string& file, bool weighted = false) {
  const auto graph = parse_sg(file, "x.sg", weighted, WeightUse::read);
  return graph ? "no error" : describe(graph.error());
}

std::string mtx_error(const std::string& file, WeightUse use = WeightUse::read) {
  const auto graph = parse_mtx(file, "x.mtx", use);
  return graph ? "no error" : describe(graph.error());
}

GraphData mtx(const std::string& file, WeightUse use = WeightUse::read) {
  const auto graph = parse_mtx(file, "x.mtx", use);
  EXPECT_TRUE(graph) << describe(graph.error());
  return graph.value_or(GraphData{});
}

const GraphData kDirected{{0, 2, 2, 3}, {1, 2, 0}, {5, 6, 7}};

TEST(NpyGraph, ReadsWholeNumbersOf32And64Bits) {
  const GraphData plain{kDirected.offsets, kDirected.columns, {}};
  const auto from = [](const std::string& offsets, const std::string& columns) {
    return parse_npy_graph({offsets, columns, {}, {}}).value_or(GraphData{});
  };
  EXPECT_EQ(from(npy<std::int64_t>("<i8", {0, 2, 2, 3}), npy<std::int32_t>("<i4", {1, 2, 0})),
            plain);
  EXPECT_EQ(from(npy<std::uint32_t>("<u4", {0, 2, 2, 3}), npy<std::uint32_t>("<u4", {1, 2, 0})),
            plain);
  EXPECT_EQ(from(npy<std::uint64_t>("<u8", {0, 2, 2, 3}), npy<std::int64_t>("<i8", {1, 2, 0})),
            plain);
  const std::string offsets = npy<std::uint32_t>("<u4", {0, 2, 2, 3}),
                    columns = npy<std::uint32_t>("<u4", {1, 2, 0}),
                    weights = npy<std::uint32_t>("<u4", {5, 6, 7});
  EXPECT_EQ(parse_npy_graph({offsets, columns, weights, {}}), kDirected);
}

TEST(NpyGraph, NamesTheFileAndTheEntryThatAreWrong) {
  const std::string offsets = npy<std::uint32_t>("<u4", {0, 2}),
                    columns = npy<std::uint32_t>("<u4", {0, 0});
  EXPECT_EQ(npy_error(offsets, columns), "no error");
  EXPECT_EQ(npy_error(npy<std::int64_t>("<i8", {0, -2}), columns),
            "o.npy: entry 1 is -2, which is not a whole number from 0 to 4294967295");
  EXPECT_EQ(npy_error(npy<std::int64_t>("<i8", {0, 1LL << 32}), columns),
            "o.npy: entry 1 is 4294967296, which is not a whole number from 0 to 4294967295");
  EXPECT_EQ(npy_error(offsets, npy<std::int32_t>("<i4", {0, -1})),
            "c.npy: entry 1 is -1, which is not a whole number from 0 to 4294967295");
  EXPECT_EQ(npy_error(offsets, npy<float>("<f4", {0, 0})),
            "c.npy: holds '<f4' (32-bit floats); whole numbers of 32 or 64 bits are needed; in "
            "NumPy: a.astype('<u4')");
  EXPECT_EQ(npy_error(offsets, columns, npy<double>("<f8", {0, 0})),
            "w.npy: holds '<f8' (64-bit floats); whole numbers of 32 or 64 bits are needed; in "
            "NumPy: a.astype('<u4')");
  EXPECT_EQ(npy_error(offsets, columns, npy<std::uint32_t>("<u4", {})),
            "w.npy: has 0 weights for 2 edges");
  EXPECT_EQ(npy_error(npy<std::uint32_t>("<u4", {}), columns),
            "o.npy: is empty; a graph of n vertices has n + 1 offsets");
  EXPECT_EQ(npy_error(offsets, npy<std::uint32_t>("<u4", {0, 1})),
            "c.npy: entry 1 is 1, but the last vertex is 0");
  const std::vector<std::uint64_t> square{1, 2};
  EXPECT_EQ(
      npy_error(npy_header(npy_type(ScalarKind::u32), square) + std::string(8, '\0'), columns),
      "o.npy: has the shape (1, 2); one axis is needed; in NumPy: a.ravel()");
  EXPECT_EQ(
      npy_error(offsets.substr(0, offsets.size() - 1), columns),
      "o.npy: the shape (2,) of '<u4' needs 8 bytes of data; the file has 7 (it is cut short)");
}

TEST(SgGraph, IsReadAsItIsWritten) {
  GraphData grid = *make_graph({GraphRecipe::Kind::grid, 5, 4});
  EXPECT_EQ(parse_sg(sg_file(grid), "x.sg", false, WeightUse::read), grid);
  add_weights(grid);
  const std::string file = sg_file(grid);
  EXPECT_EQ(file[0], '\0');
  EXPECT_EQ(parse_sg(file, "x.wsg", true, WeightUse::read), grid);
  grid.weights.clear();
  EXPECT_EQ(parse_sg(file, "x.wsg", true, WeightUse::ignore), grid);
  const std::string directed = sg_file(kDirected);
  EXPECT_EQ(directed[0], '\1');
  EXPECT_EQ(parse_sg(directed, "x.wsg", true, WeightUse::read), kDirected);
  EXPECT_EQ(parse_sg(sg_file(GraphData{}), "x.sg", false, WeightUse::read), GraphData{});
}

// Byte by byte: the directed flag, 1 edge, 2 vertices, offsets 0 1 1, the column 1.
std::string small_sg() {
  std::string file(1 + 8 + 8 + 24 + 4, '\0');
  file[1] = 1;
  file[9] = 2;
  file[25] = 1;
  file[33] = 1;
  file[41] = 1;
  return file;
}

TEST(SgGraph, HasTheLayoutOfTheBenchmarkSuite) {
  EXPECT_EQ(parse_sg(small_sg(), "x.sg", false, WeightUse::read), (GraphData{{0, 1, 1}, {1}, {}}));
}

TEST(SgGraph, ThatIsWrongSaysHow) {
  EXPECT_EQ(sg_error(""), "x.sg: is not a serialised graph: it has 0 bytes, its header 17");
  std::string file = small_sg();
  EXPECT_EQ(sg_error(file.substr(0, 44)),
            "x.sg: with its 2 vertices and 1 stored edges an undirected graph has 45 bytes; the "
            "file has 44");
  EXPECT_EQ(sg_error(file, true),
            "x.sg: with its 2 vertices and 1 stored edges an undirected graph has 49 bytes; the "
            "file has 45");
  file[0] = 7;
  EXPECT_EQ(sg_error(file), "x.sg: is not a serialised graph: its first byte is 7");
  file = small_sg();
  file[16] = '\x7f';
  EXPECT_EQ(sg_error(file),
            "x.sg: has 9,151,314,442,816,847,874 vertices and 1 edges; a graph has up to "
            "4,294,967,294 of each");
  file = small_sg();
  file[25] = 2;
  EXPECT_EQ(sg_error(file), "x.sg: offset 1 is 2, but the graph has 1 edge");
  file = small_sg();
  file[32] = '\x80';
  EXPECT_EQ(sg_error(file), "x.sg: offset 1 is -9223372036854775807, but the graph has 1 edge");
  file = small_sg();
  file[33] = 0;
  EXPECT_EQ(sg_error(file), "x.sg: offsets: entry 2 is 0, below the 1 before it");
  file = small_sg();
  file[41] = 2;
  EXPECT_EQ(sg_error(file), "x.sg: columns: entry 0 is 2, but the last vertex is 1");
  file = small_sg() + std::string(4, '\xff');
  EXPECT_EQ(sg_error(file, true), "x.sg: the weight of edge 0 is -1, below 0");
}

TEST(MtxGraph, ReadsEveryFieldAndSymmetry) {
  EXPECT_EQ(mtx("%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 2\n1 3\n3 1\n"),
            (GraphData{{0, 2, 2, 3}, {1, 2, 0}, {}}));
  EXPECT_EQ(mtx("%%matrixmarket MATRIX Coordinate Integer General\n% a comment\n\n 3\t3 3 \r\n"
                "1 2 5\n1 3 6\n% another\n3 1 7"),
            kDirected);
  EXPECT_EQ(
      mtx("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 4.0\n3 3 1e2\n3 2 0\n"),
      (GraphData{{0, 1, 3, 5}, {1, 0, 2, 2, 1}, {4, 4, 0, 100, 0}}));
  EXPECT_EQ(mtx("%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 0.5 -1\n",
                WeightUse::ignore),
            (GraphData{{0, 1, 2}, {1, 0}, {}}));
  EXPECT_EQ(
      mtx("%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 nan\n", WeightUse::ignore),
      (GraphData{{0, 0, 1}, {0}, {}}));
  EXPECT_EQ(mtx("%%MatrixMarket matrix coordinate pattern general\n0 0 0\n"), GraphData{});
  EXPECT_EQ(mtx("%%MatrixMarket matrix coordinate pattern general\n2 2 0"),
            (GraphData{{0, 0, 0}, {}, {}}));
}

TEST(MtxGraph, NamesTheLineThatIsWrong) {
  const std::string pattern = "%%MatrixMarket matrix coordinate pattern general\n";
  const std::string real = "%%MatrixMarket matrix coordinate real general\n";
  const std::string symmetric = "%%MatrixMarket matrix coordinate pattern symmetric\n";
  EXPECT_EQ(mtx_error(""),
            "x.mtx: is not a Matrix Market file: it does not begin with %%MatrixMarket");
  EXPECT_EQ(mtx_error("%%MatrixMarket matrix array real general\n1 1\n1\n"),
            "x.mtx: line 1: holds a 'matrix' in the form 'array'; a graph is a matrix in the form "
            "coordinate");
  EXPECT_EQ(mtx_error("%%MatrixMarket matrix coordinate quaternion general\n"),
            "x.mtx: line 1: 'quaternion' is not a field; there are pattern, integer, real and "
            "complex");
  EXPECT_EQ(mtx_error("%%MatrixMarket matrix coordinate pattern diagonal\n"),
            "x.mtx: line 1: 'diagonal' is not a symmetry; there are general, symmetric, "
            "skew-symmetric and hermitian");
  EXPECT_EQ(mtx_error("%%MatrixMarket matrix coordinate complex general\n1 1 0\n"),
            "x.mtx: line 1: the entries of a complex general matrix are no weights");
  EXPECT_EQ(mtx_error(pattern + "% nothing\n"), "x.mtx: ends before the line of its size");
  EXPECT_EQ(mtx_error(pattern + "2 2\n"),
            "x.mtx: line 2: the size is not three whole numbers: rows, columns, entries");
  EXPECT_EQ(mtx_error(pattern + "2 3 0\n"),
            "x.mtx: line 2: the matrix has 2 rows and 3 columns; the matrix of a graph is square");
  EXPECT_EQ(mtx_error(pattern + "4000000000 4000000000 0\n"),
            "x.mtx: line 2: has 4,000,000,000 vertices; a file of 73 bytes has up to 1,049,160");
  EXPECT_EQ(mtx_error(pattern + "2 2 4000000000\n1 2\n"),
            "x.mtx: line 2: has 4,000,000,000 entries; the rest of the file has room for 2");
  EXPECT_EQ(mtx_error(pattern + "2 2 2\n1 2\n\n\n\n"),
            "x.mtx: ends after entry 1; its size line says 2");
  EXPECT_EQ(mtx_error(pattern + "2 2 1\n\n1 3\n"),
            "x.mtx: line 4: '3' is not a column (a whole number from 1 to 2)");
  EXPECT_EQ(mtx_error(pattern + "2 2 1\n0 1\n"),
            "x.mtx: line 3: '0' is not a row (a whole number from 1 to 2)");
  EXPECT_EQ(mtx_error(pattern + "2 2 1\n1 2 3\n"), "x.mtx: line 3: the entry goes on with '3'");
  EXPECT_EQ(mtx_error(pattern + "2 2 1\n1 2\n2 1\n"),
            "x.mtx: line 4 goes on behind entry 1, the last by the size line");
  EXPECT_EQ(mtx_error(real + "2 2 1\n1 2\n"), "x.mtx: line 3: the entry has no value");
  for (const char* weight : {"nan", "-1", "0.5", "inf", "4294967296", "x"}) {
    EXPECT_EQ(mtx_error(real + "2 2 1\n1 2 " + weight + "\n"),
              std::string("x.mtx: line 3: the weight '") + weight +
                  "' is not a whole number from 0 to 4294967295");
  }
  EXPECT_EQ(mtx_error(symmetric + "2 2 1\n1 2\n"),
            "x.mtx: line 3: the entry lies above the diagonal of a symmetric matrix");
}

class GraphFile : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& content) {
    const std::string path = (folder_.path() / name).string();
    EXPECT_TRUE(replace_file(path, content));
    return path;
  }
  TemporaryFolder folder_;
};

TEST_F(GraphFile, IsReadByTheEndingOfItsName) {
  const GraphData plain{kDirected.offsets, kDirected.columns, {}};
  EXPECT_EQ(read_graph(write("a.wsg", sg_file(kDirected)), WeightUse::read), kDirected);
  EXPECT_EQ(read_graph(write("a.sg", sg_file(plain)), WeightUse::read), plain);
  EXPECT_EQ(read_graph(write("a.mtx",
                             "%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 2\n1 3\n"
                             "3 1\n"),
                       WeightUse::read),
            plain);
  const std::string o = write("o.npy", npy<std::uint32_t>("<u4", {0, 2, 2, 3})),
                    c = write("c.npy", npy<std::uint32_t>("<u4", {1, 2, 0})),
                    w = write("w.npy", npy<std::uint32_t>("<u4", {5, 6, 7}));
  EXPECT_EQ(read_graph(o + "," + c, WeightUse::read), plain);
  EXPECT_EQ(read_graph(o + "," + c + "," + w, WeightUse::read), kDirected);
  EXPECT_EQ(read_graph(o + "," + c + ",missing.npy", WeightUse::ignore), plain);
}

TEST_F(GraphFile, ThatCannotBeReadSaysWhy) {
  const auto error = [](const std::string& text, std::uint64_t most = kMaxGraphFileBytes) {
    const auto graph = read_graph(text, WeightUse::read, most);
    return graph ? Error{Code::internal, "no error", ""} : graph.error();
  };
  EXPECT_EQ(error("nowhere/x.sg").code, Code::invalid_input);
  EXPECT_EQ(describe(error("nowhere/x.sg")), "cannot open nowhere/x.sg: No such file or directory");
  EXPECT_TRUE(error("x.txt").what.starts_with("'x.txt' is not a graph"));
  EXPECT_EQ(describe(error("o.npy")),
            "'o.npy' names 1 .npy files; write offsets.npy,columns.npy or "
            "offsets.npy,columns.npy,weights.npy");
  const std::string path = write("a.sg", sg_file(GraphData{}));
  EXPECT_EQ(error(path, 24).code, Code::limit);
  EXPECT_EQ(error(path, 24).what,
            path + " has more than 24 bytes, which is the most that is read here");
}

// A file may declare eight vertices for each of its bytes, which take eight bytes each.
TEST(MtxGraph, IsNotBegunWhereItsVerticesDoNotFitIntoMemory) {
  const std::string status = system_text("/proc/self/status");
  const std::size_t at = status.find("VmData:");
  if (at == std::string::npos) GTEST_SKIP() << "the system does not say what is in use";
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_DATA, &before), 0);
  const std::string file = "%%MatrixMarket matrix coordinate pattern general\n% " +
                           std::string(std::size_t{16} << 20, ' ') +
                           "\n120000000 120000000 1\n1 2\n";
  rlimit limit = before;
  limit.rlim_cur = std::strtoull(status.c_str() + at + 7, nullptr, 10) * 1024 + (rlim_t{512} << 20);
  ASSERT_EQ(::setrlimit(RLIMIT_DATA, &limit), 0);
  const auto graph = parse_mtx(file, "x.mtx", WeightUse::read);
  ASSERT_EQ(::setrlimit(RLIMIT_DATA, &before), 0);
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().code, Code::out_of_memory);
  EXPECT_NE(graph.error().what.find("x.mtx: needs 960,000,012 bytes of memory; RLIMIT_DATA"),
            std::string::npos)
      << graph.error().what;
}

}  // namespace
}  // namespace vyre
