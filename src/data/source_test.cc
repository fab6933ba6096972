#include "vyre/data/source.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vyre/base/files/files.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/data/npy/npy.h"

namespace vyre {
namespace {

class Sources : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& content) {
    const std::string path = (folder_.path() / name).string();
    EXPECT_TRUE(replace_file(path, content));
    return path;
  }

  TypeTable types_;
  const BufferLayout layout_ =
      buffer_layout(types_, types_.runtime_array(types_.vector(ScalarKind::f32, 4)));
  const std::string name_ = "b", type_ = "array<vec4f>";
  const BufferData buffer_{types_, layout_, name_, type_};
  TemporaryFolder folder_;
};

TEST_F(Sources, FilesOfEveryKindAreReadUpToTheLimit) {
  const std::vector<std::uint64_t> shape{1, 4};
  const std::string npy = npy_header(npy_type(ScalarKind::f32), shape) + std::string(16, 'x');
  const std::string ppm = "P6 1 1 255\n123";
  const std::vector<std::pair<DataSource, std::size_t>> files{
      {NpyFile{write("x.npy", npy)}, npy.size()},
      {RawFile{write("x.bin", std::string(16, 'x'))}, 16},
      {ImageFile{write("x.ppm", ppm)}, ppm.size()}};
  for (const auto& [source, bytes] : files) {
    const auto opened = open_source(source, buffer_, bytes);
    EXPECT_TRUE(opened) << describe(opened.error());
    const auto refused = open_source(source, buffer_, bytes - 1);
    ASSERT_FALSE(refused) << describe(source);
    EXPECT_NE(refused.error().what.find(fmt::format(
                  "has more than {} bytes, which is the most that is read here", bytes - 1)),
              std::string::npos)
        << refused.error().what;
  }
}

}  // namespace
}  // namespace vyre
