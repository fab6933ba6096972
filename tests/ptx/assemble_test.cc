// Every kernel that is emitted assembles. Needs ptxas of the CUDA toolkit; skipped without it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "generator.h"
#include "kernels.h"
#include "vyre/base/files/files.h"
#include "vyre/plan/variants/variant_legality.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

std::string find_ptxas() {
  std::string path = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
  path += ":/usr/local/cuda/bin";
  while (!path.empty()) {
    const auto end = std::min(path.find(':'), path.size());
    const fs::path candidate = fs::path(path.substr(0, end)) / "ptxas";
    if (access(candidate.c_str(), X_OK) == 0) return candidate.string();
    path.erase(0, std::min(end + 1, path.size()));
  }
  return {};
}

class Assembles : public testing::Test {
 protected:
  void SetUp() override {
    ptxas_ = find_ptxas();
    if (ptxas_.empty()) GTEST_SKIP() << "there is no ptxas here";
    std::string pattern = (fs::temp_directory_path() / "vyre-ptx-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
    if (done_ > 0) fmt::print("{} kernels assembled\n", done_);
  }

  void assemble(const std::string& ptx, const std::string& what) {
    const fs::path text = folder_ / "k.ptx", log = folder_ / "log";
    ASSERT_TRUE(replace_file(text, ptx));
    const auto command = fmt::format("'{}' -O1 -arch=sm_90 '{}' -o '{}' > '{}' 2>&1", ptxas_,
                                     text.string(), (folder_ / "k.cubin").string(), log.string());
    const int status = std::system(command.c_str());
    EXPECT_EQ(status, 0) << what << "\n" << read_file(log).value_or("") << "\n" << ptx;
    ++done_;
  }

  void assemble_all(const std::string& wgsl, const std::string& what) {
    for (const Kernel& kernel : kernels_of(wgsl)) {
      for (const std::uint32_t items : {1U, 4U}) {
        for (const bool wide : {false, true}) {
          const Variant v = variant_of(kernel, items);
          if (!why_not(kernel, v, TargetKind::nvptx, gpu_limits()).empty() || (wide && items == 1))
            continue;
          assemble(ptx_of(kernel, v, {.wide_offsets = wide}),
                   fmt::format("{} {} {}", what, kernel.program->name, to_string(v)));
        }
      }
    }
  }

  std::string ptxas_;
  fs::path folder_;
  int done_ = 0;
};

TEST_F(Assembles, EveryCaseAndExample) {
  for (const char* folder : {"/tests/every_device/cases", "/examples", "/bench/kernels/wgsl"}) {
    for (const auto& entry : fs::directory_iterator(std::string(VYRE_ROOT_DIR) + folder)) {
      if (entry.path().extension() != ".wgsl") continue;
      assemble_all(read_file(entry.path()).value_or(""), entry.path().filename().string());
    }
  }
}

TEST_F(Assembles, RandomPrograms) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    assemble_all(generate(seed).text, fmt::format("seed {}", seed));
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace vyre
